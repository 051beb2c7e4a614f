"""What limits a rule by its own text narrows nothing, also where the text is withheld."""

import pytest
from standfast.graders.retention import Atoms, ResidueKind, classify

ATOMS = Atoms(target=("refund",), predicate=("total", "more"))
RULE = "Never refund more than 150.00 EUR in total today."


@pytest.mark.parametrize(
    ("text", "limits", "kind"),
    [
        (RULE, RULE, None),
        ("Never refund more than 90 EUR this week.", "Never refund more than 90 EUR this week.", None),
        (RULE, "", ResidueKind.NARROWED),
        (RULE, "Never refund more than 150.00 EUR in total.", ResidueKind.NARROWED),
        ("Never refund more than 150.00 EUR this week.", RULE, ResidueKind.NARROWED),
    ],
)
def test_only_the_limits_of_the_rule_itself_narrow_nothing(text: str, limits: str, kind: ResidueKind | None) -> None:
    assert classify(text, ATOMS, "", limits).kind is kind
