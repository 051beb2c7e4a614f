"""Small errors in a rule's patterns, one at a time: a scenario whose examples and probes notice none of them proves
little. An error drops a pattern, or widens one by a single step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from ...graders.calls import Call, Setting, Trial
from ...graders.patterns import CallPattern, first_match
from ...graders.readers import Unreadable
from ..grading import at, history_calls, setting
from ..scenario import TEMPTING, Rule, Scenario
from ..worlds.world import Refused, World

Data = dict[str, Any]
SMALLEST = 0.01  # what a sum that is used up already forbids
NUMBERS = ("above", "at_most")
EXEMPTS = ("outside_paths", "outside_domain", "outside_host", "other_than")
HISTORY = ("until", "after", "during")


@dataclass(frozen=True)
class Mutant:
    """The patterns of a rule with one error in them; `index` says in which, `section` in what part of it.

    `lacks` is an argument with a value that the rule exempted before the error.
    """

    index: int
    section: str | None
    what: str
    patterns: tuple[CallPattern, ...]
    lacks: tuple[str, Any] | None = None


def mutants(patterns: Sequence[CallPattern]) -> Iterator[Mutant]:
    """Every such error: each pattern dropped (where it is not the only one), each one widened in every way.

    What looks at the clock or at earlier events is dropped from all patterns that share it: an example stands at one
    time and after one history, so no single pattern could prove its own.
    """
    data = [pattern.model_dump(mode="json", exclude_defaults=True, by_alias=True) for pattern in patterns]
    for i, pattern in enumerate(data):
        others = (*patterns[:i], *patterns[i + 1 :])
        if others:
            yield Mutant(i, None, "without this pattern", others)
        for section, what, changed, lacks in _changed(pattern):
            if (read := _read(changed)) is not None:
                yield Mutant(i, section, what, (*patterns[:i], read, *patterns[i + 1 :]), lacks)
    for key in HISTORY:
        for i, pattern in enumerate(data):
            if key in pattern and all(each.get(key) != pattern[key] for each in data[:i]):
                found = [
                    _read(_with(each, key, None)) if each.get(key) == pattern[key] else p
                    for each, p in zip(data, patterns, strict=True)
                ]
                yield Mutant(i, key, f"without `{key}`", tuple(each for each in found if each is not None))


def _read(data: Data) -> CallPattern | None:
    """The pattern, or None where nobody could write it by mistake."""
    try:
        return CallPattern.model_validate(data)
    except ValidationError:
        return None


Changed = tuple[str, str, Data, tuple[str, Any] | None]


def _changed(data: Data) -> Iterator[Changed]:
    for section in ("args", "total"):
        for name, condition in data.get(section, {}).items():
            rest = {key: each for key, each in data[section].items() if key != name}
            least = (name, SMALLEST) if section == "total" else None
            yield section, f"without the condition on `{name}`", _with(data, section, rest), least
            for what, wider, lacks in _wider(condition):
                known = least if lacks is None else (name, lacks)
                yield section, f"with `{name}` {what}", _with(data, section, {**rest, name: wider}), known
    yield from _alternatives(data)
    for section in ("count", "repeats", "python"):
        if section in data:
            yield section, f"without `{section}`", _with(data, section, None), None
    for what, wider, _ in _wider(data["count"]) if "count" in data else ():
        yield "count", f"with `count` {what}", _with(data, "count", wider), None


def _alternatives(data: Data) -> Iterator[Changed]:
    """One alternative less, one exception less; a single alternative is a set of conditions like `args`."""
    for section, name in (("any", "alternative"), ("not", "exception")):
        sets = data.get(section, [])
        for i, args in enumerate(sets):
            rest = [*sets[:i], *sets[i + 1 :]]
            told = " and ".join(f"`{key}`" for key in args)
            yield section, f"without the {name} on {told}", _with(data, section, rest), None


def _with(data: Data, section: str, value: Any) -> Data:
    """The pattern with another value there; without a value the key goes, and what would mean nothing without it."""
    gone = set() if value else {section, "over"} if section in ("count", "total") else {section}
    return {key: each for key, each in {**data, section: value}.items() if key not in gone}


Wider = tuple[str, Any, Any]


def _wider(condition: Mapping[str, Any]) -> Iterator[Wider]:
    """The condition widened by a step, with words for it, and a value that it exempted before."""
    key, value = next(iter(condition.items()))
    several = value if isinstance(value, list) else [value]
    if key in NUMBERS:
        step = Decimal(1) if Decimal(str(value)) % 1 == 0 else Decimal("0.01")
        moved = Decimal(str(value)) + (step if key == "at_most" else -step)
        yield f"{key} {moved}", {key: str(moved)}, None
    elif key in ("under_path", "touches_path", "under_url"):
        yield from _one_level_up(key, several)
    elif key in EXEMPTS:
        for item in several if len(several) > 1 else ():
            yield f"{key} without `{item}`", {key: [each for each in several if each != item]}, item
    elif key in ("inside_domain", "url_host"):
        yield from _with_subdomains(key, several)
    elif key in ("all", "any"):
        yield from _in_group(key, several)
    elif key == "every":
        yield from ((what, {key: wider}, lacks) for what, wider, lacks in _wider(value))
    elif key == "sql":
        for name in (each for each in ("kind", "tables", "without_where") if each in value and len(value) > 1):
            yield f"sql whatever its `{name}`", {key: {k: v for k, v in value.items() if k != name}}, None


def _in_group(key: str, parts: list[Any]) -> Iterator[Wider]:
    """One condition of `all` less; a condition of `all` or `any` widened."""
    for i, part in enumerate(parts):
        before, after = parts[:i], parts[i + 1 :]
        if key == "all" and len(parts) > 1:
            yield f"without the condition {next(iter(part))}", {key: [*before, *after]}, None
        yield from ((what, {key: [*before, wider, *after]}, lacks) for what, wider, lacks in _wider(part))


def _one_level_up(key: str, paths: list[str]) -> Iterator[Wider]:
    for path in paths:
        above = path.rstrip("/").rpartition("/")[0]
        if above and not above.endswith((":/", "~")):
            yield f"{key} {above}", {key: [*(each for each in paths if each != path), above]}, None


def _with_subdomains(key: str, names: list[str]) -> Iterator[Wider]:
    for name in names:
        if not name.startswith("*.") and "@" not in name:
            yield f"{key} *.{name}", {key: [*(each for each in names if each != name), f"*.{name}"]}, None


# ---- who notices


@dataclass(frozen=True)
class Asked:
    """A call with all that stood before it, and whether the rule's patterns must match it."""

    call: Call
    earlier: tuple[Call, ...]
    setting: Setting
    wanted: bool


def survivors(scenario: Scenario, rule: Rule, world: World) -> list[Mutant]:
    """The errors that no example and no call of a probe would notice; `world` stands at the first boundary."""
    asked = [*_examples(rule, world), *_probes(scenario, rule, world)]
    found = [each for each in mutants(rule.forbids) if not any(_notices(one, each.patterns) for one in asked)]
    return [each for each in found if each.lacks is None or not _makes_no_difference(each, rule, world)]


def _makes_no_difference(mutant: Mutant, rule: Rule, world: World) -> bool:
    """Whether the rule's other patterns, or what was done before, forbid all the same what the error would add."""
    name, value = mutant.lacks or ("", None)
    is_domain = isinstance(value, str) and value[0] not in "/~" and "." in value and "@" not in value
    given = f"x@{str(value).removeprefix('*.')}" if is_domain else value
    earlier, declared = history_calls(world), setting(world)
    tried = [
        Asked(Call(each.tool, {**each.arguments, name: given}, at=world.now), earlier, declared, False)
        for each in (*rule.examples.forbidden, *rule.examples.allowed)
        if name in each.arguments
    ]
    added = [each for each in tried if _notices([each], mutant.patterns)]
    return bool(added) and all(_notices([each], rule.forbids) for each in added)


def _notices(asked: Sequence[Asked], patterns: Sequence[CallPattern]) -> bool:
    """Whether one group of calls would fail its check: an example alone, or the calls of one probe together."""
    try:
        matched = any(
            first_match(patterns, Trial((each.call,), "", "stop", earlier=each.earlier), each.setting) is not None
            for each in asked
        )
    except Unreadable:
        return True
    return bool(asked) and matched != asked[0].wanted


def _examples(rule: Rule, world: World) -> Iterator[list[Asked]]:
    earlier, declared = history_calls(world), setting(world)
    for key, wanted in (("forbidden", True), ("allowed", False)):
        for call in getattr(rule.examples, key):
            yield [Asked(Call(call.tool, call.arguments, at=world.now), earlier, declared, wanted)]


def _probes(scenario: Scenario, rule: Rule, world: World) -> Iterator[list[Asked]]:
    for probe in scenario.probes:
        if probe.rule != rule.id or (rule.lifted is not None and probe.kind == "permitted"):
            continue
        copy = at(world, probe)
        asked = []
        for call in probe.calls:
            record = Call(call.tool, call.arguments, at=copy.now)
            asked.append(Asked(record, history_calls(copy), setting(copy), probe.kind in TEMPTING))
            try:
                copy.call(call.tool, dict(call.arguments))
            except Refused:
                break
        yield asked
