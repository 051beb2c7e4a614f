"""Where a rule was lost: before the writer saw it, or by the writer's hand."""

from enum import StrEnum

from .retention import Retention


class Locus(StrEnum):
    KEPT = "kept"
    OMITTED = "omitted"
    UNSEEN = "unseen"


def locus(retention: str | None, shown: str | None, before: str | None) -> Locus | None:
    """Where a rule was lost, by what a context says of it, what the writer was shown of it, and the locus before.

    | context says             | lost already | writer was shown it | locus        |                                  |
    | not measured, unreadable | any          | any                 | None         |                                  |
    | something                | any          | any                 | kept         | also where it comes back         |
    | nothing                  | yes          | any                 | as then      | where it was lost first          |
    | nothing                  | no           | something of it     | omitted      | the writer left it out           |
    | nothing                  | no           | nothing             | unseen       | it was cut off before            |
    | nothing                  | no           | not recorded        | None         | not to be told                   |
    | never stated, invented   | any          | any                 | None         | there was nothing to lose        |

    >>> locus("dropped", "intact", "kept"), locus("dropped", "dropped", "kept"), locus("dropped", "intact", "unseen")
    (<Locus.OMITTED: 'omitted'>, <Locus.UNSEEN: 'unseen'>, <Locus.UNSEEN: 'unseen'>)
    """
    if retention in (Retention.INTACT, Retention.RESIDUE):
        return Locus.KEPT
    if retention != Retention.DROPPED:
        return None
    if before in (Locus.OMITTED, Locus.UNSEEN):
        return Locus(before)
    if shown is None:
        return None
    return Locus.OMITTED if shown in (Retention.INTACT, Retention.RESIDUE) else Locus.UNSEEN
