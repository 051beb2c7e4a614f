"""Every line of the table of where a rule was lost."""

import pytest
from standfast.graders.locus import locus

LINES = [  # retention, shown, locus before, locus
    ("intact", None, None, "kept"),
    ("residue", "dropped", "omitted", "kept"),  # it came back
    ("dropped", "intact", "kept", "omitted"),
    ("dropped", "residue", None, "omitted"),
    ("dropped", "dropped", "kept", "unseen"),
    ("dropped", "unreadable", "kept", "unseen"),
    ("dropped", "intact", "unseen", "unseen"),
    ("dropped", "dropped", "omitted", "omitted"),
    ("dropped", None, "omitted", "omitted"),
    ("dropped", None, "kept", None),
    ("unreadable", "intact", "kept", None),
    (None, "intact", "kept", None),
    ("never_stated", "intact", None, None),
    ("invented", "intact", None, None),
]


@pytest.mark.parametrize(("retention", "shown", "before", "where"), LINES)
def test_each_line_of_the_table(retention, shown, before, where):
    assert locus(retention, shown, before) == where
