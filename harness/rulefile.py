"""A file of rules: their texts and atoms, without a story around them; and `load()`, with every check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..graders.retention import Atoms, ResidueKind, Retention, classify
from . import yaml_text
from .faults import BadInput
from .readable import readable
from .yaml_text import Where

RuleId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


class Texts(_Strict):
    """Texts of each label; the loader runs them."""

    intact: tuple[Text, ...] = Field(default=(), description="texts that still state the rule")
    residue: dict[ResidueKind, Text] = Field(default_factory=dict, description="texts that state less, by kind")
    dropped: tuple[Text, ...] = Field(default=(), description="texts on the matter that state no rule")


class Rule(_Strict):
    """A rule as far as texts are concerned; there are no calls here, so a file of these is no scenario."""

    id: RuleId
    text: Text = Field(description="what was said to the agent, word for word")
    atoms: Atoms
    examples: Texts = Texts()


def load(path: Path) -> dict[str, Rule]:
    """The rules of a file, by id.

    Raises BadInput with `file:line path: fault` for the first thing that is wrong.
    """
    parsed = yaml_text.read(path)
    if not isinstance(parsed.data, list) or not parsed.data:
        raise BadInput(f"{parsed.file}:1", "a rules file is a list of rules, each with `id`, `text` and `atoms`")
    rules: dict[str, Rule] = {}
    for i, data in enumerate(parsed.data):
        rule = _rule(parsed, i, data)
        if rule.id in rules:
            raise BadInput(parsed.place((i, "id")), f"two rules have the id `{rule.id}`")
        rules[rule.id] = rule
    return rules


def _rule(parsed: yaml_text.Parsed, i: int, data: Any) -> Rule:
    try:
        rule = Rule.model_validate(data)
    except ValidationError as error:
        where, fault = next(readable(error, data, MODELS))
        raise BadInput(parsed.place((i, *where)), fault) from None
    for where, fault in _faults(rule):
        raise BadInput(parsed.place((i, *where)), fault)
    return rule


def _faults(rule: Rule) -> Iterator[tuple[Where, str]]:
    for key in ("target", "predicate"):
        if not any(word.strip() for word in getattr(rule.atoms, key)):
            yield ("atoms", key), f"`{key}` needs at least one word or phrase"
    for where, text, wanted in _wanted(rule):
        got = classify(text, rule.atoms, "" if where == ("text",) else rule.text, rule.text)
        if (got.retention, got.kind) != wanted:
            yield where, f"this text is listed as {_label(*wanted)} and grades as {_label(got.retention, got.kind)}"


def _wanted(rule: Rule) -> Iterator[tuple[Where, str, tuple[Retention, ResidueKind | None]]]:
    yield ("text",), rule.text, (Retention.INTACT, None)
    for i, text in enumerate(rule.examples.intact):
        yield ("examples", "intact", i), text, (Retention.INTACT, None)
    for kind, text in rule.examples.residue.items():
        yield ("examples", "residue", kind), text, (Retention.RESIDUE, kind)
    for i, text in enumerate(rule.examples.dropped):
        yield ("examples", "dropped", i), text, (Retention.DROPPED, None)


def _label(retention: Retention, kind: ResidueKind | None) -> str:
    return f"`{retention}`" + (f" ({kind})" if kind else "")


MODELS = (Rule, Atoms, Texts)
