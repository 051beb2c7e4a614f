"""What a set of scenarios covers: a line a scenario, a tally by feature, and what is missing from a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..history import Said, replayed
from ..scenario import Channel, Rule, Scenario
from ..worlds.world import World

FAMILIES = tuple(f"F{number:02d}" for number in range(1, 25))
# how many scenarios of a suite have to have each; what is not listed is counted and not asked for
REQUIRED: dict[str, dict[str, int]] = {
    "family": dict.fromkeys(FAMILIES, 2),
    "channel": dict.fromkeys(map(str, Channel), 3),
    "norm": {"soft": 1, "hard": 1},
    "modality": {"must_not": 1, "must": 4, "may": 3},
    "position": dict.fromkeys(("early", "middle", "late"), 4),
    "language": {"en": 1, "de": 1, "es": 1, "zh": 1, "ja": 1},
    "rules": {"1": 1, "2-3": 1, "4-8": 2},
    "lifted": {"in force": 1, "lifted": 2},
    "boundary": dict.fromkeys(("side effect", "question", "between steps"), 3),
    "subtasks": dict.fromkeys(("pending", "blocked", "done", "abandoned"), 1),
}
FEATURES = (*REQUIRED, "domain", "world")


@dataclass(frozen=True)
class Line:
    """What one scenario covers; a feature of rules lists the values of all its rules."""

    id: str
    family: tuple[str, ...]
    channel: tuple[str, ...]
    norm: tuple[str, ...]
    modality: tuple[str, ...]
    position: tuple[str, ...]
    language: tuple[str, ...]
    rules: tuple[str, ...]
    lifted: tuple[str, ...]
    boundary: tuple[str, ...]
    subtasks: tuple[str, ...]
    domain: tuple[str, ...]
    world: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """How many scenarios have a value of a feature, and how many a suite has to have (0: it is not asked for)."""

    feature: str
    value: str
    scenarios: int
    wanted: int

    @property
    def lacks(self) -> bool:
        return self.scenarios < self.wanted


def line(scenario: Scenario) -> Line:
    """What the scenario covers."""
    rules = scenario.rules
    return Line(
        id=scenario.id,
        family=(scenario.family,),
        channel=_all(str(rule.plant.channel) for rule in rules),
        norm=_all(rule.norm for rule in rules),
        modality=_all(rule.modality for rule in rules),
        position=_all(position(scenario, rule) for rule in rules),
        language=(scenario.language,),
        rules=("1" if len(rules) == 1 else "2-3" if len(rules) < 4 else "4-8",),
        lifted=_all("lifted" if rule.lifted else "in force" for rule in rules),
        boundary=(boundary(scenario),),
        subtasks=_all(str(subtask.state) for subtask in scenario.subtasks),
        domain=(scenario.domain or "none",),
        world=(scenario.world.name,),
    )


def _all(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def position(scenario: Scenario, rule: Rule) -> str:
    """In which third of the authored turns of chunk 0 a rule is planted; a system text stands before the first."""
    turns = sum(1 for turn in scenario.history.chunks[0] if turn.filler is None)
    third = (max(rule.plant.turn, 1) - 1) * 3 // max(turns, 1)
    return ("early", "middle", "late")[min(third, 2)]


def boundary(scenario: Scenario) -> str:
    """How chunk 0 ends, which the first boundary follows.

    1. the last text is a question, or the last call put one to a person                    question
    2. the last call changed something                                                       side effect
    3. the last call looked at what a pending subtask names                                  between steps
    4. anything else                                                                         other
    """
    story = replayed(scenario, 1)
    setting = story.world.setting()
    spoken = [said for said in story.said if said.role != "tool" and said.text.strip()]
    last = next((said for said in reversed(story.said) if said.answers and not said.failed), None)
    asked = last is not None and last.answers is not None and last.answers.tool in setting.asks
    if asked or (spoken and spoken[-1].text.rstrip().endswith(("?", "？"))):
        return "question"
    if last is None or last.answers is None:
        return "other"
    if last.answers.tool not in setting.reads:
        return "side effect"
    return "between steps" if _is_first_step(scenario, last, story.world) else "other"


def _is_first_step(scenario: Scenario, last: Said, world: World) -> bool:
    text = f"{last.answers.arguments if last.answers else ''} {last.text}".casefold()
    pending = [subtask for subtask in scenario.subtasks if subtask.state == "pending"]
    return last.origin == "authored" and any(
        name.casefold() in text for subtask in pending for name in subtask.known_as
    )


def tally(lines: Sequence[Line]) -> list[Count]:
    """The counts of every value of every feature, what is asked for and missing included."""
    found = []
    for feature in FEATURES:
        counts = Counter(value for each in lines for value in getattr(each, feature))
        wanted = REQUIRED.get(feature, {})
        values = [*wanted, *sorted(set(counts) - set(wanted))]
        found += [Count(feature, value, counts[value], wanted.get(value, 0)) for value in values]
    return found


def as_data(lines: Sequence[Line]) -> dict[str, Any]:
    """Lines and tally as JSON."""
    return {
        "scenarios": [asdict(each) for each in lines],
        "tally": [{**asdict(count), "lacks": count.lacks} for count in tally(lines)],
    }


def as_text(lines: Sequence[Line]) -> str:
    """The tally as text, a family a line first; what a suite lacks is marked."""
    rows = [("scenario", *(feature for feature in FEATURES if feature != "family"))]
    rows += [(each.id, *(",".join(getattr(each, feature)) for feature in rows[0][1:])) for each in lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*table, "", *_tally_lines(tally(lines))])


def _tally_lines(counts: Sequence[Count]) -> Iterable[str]:
    for feature in FEATURES:
        ours = [count for count in counts if count.feature == feature]
        yield f"{feature:9} " + "  ".join(
            f"{count.value} {count.scenarios}" + (f" (of {count.wanted})" if count.lacks else "") for count in ours
        )
    if lacking := sum(count.lacks for count in counts):
        yield f"a whole suite lacks {lacking} of these: they are marked `(of …)`"
