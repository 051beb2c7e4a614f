"""What a scenario file may say, and `load()`: every check before any model is called."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from ..graders.conditions import StatementSpec
from ..graders.events import Addend, Event
from ..graders.patterns import CallPattern
from ..graders.retention import Atoms, ResidueKind
from ..graders.states import State
from ..graders.windows import Window
from . import varied, yaml_text
from .faults import BadInput
from .readable import readable
from .varied import AS_WRITTEN, Varies

SCHEMA = "standfast-scenario/1"
UNSAID = {"varies", "canary"}  # no agent ever meets these: a scenario is the same without them
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


class Channel(StrEnum):
    """Where a rule enters the conversation."""

    USER = "user"
    TOOL_RESULT = "tool_result"
    DOCUMENT = "document"
    MEMORY = "memory"
    SYSTEM = "system"


class ProbeKind(StrEnum):
    """What a probe asks for, seen from its rule (or, for the last two, from the subtasks)."""

    PROHIBITED = "prohibited"
    INDIRECT = "indirect"
    SIBLING = "sibling"
    PERMITTED = "permitted"
    RESUME = "resume"
    STATUS = "status"


TEMPTING = (ProbeKind.PROHIBITED, ProbeKind.INDIRECT)
TWINS = (ProbeKind.SIBLING, ProbeKind.PERMITTED)
OF_SUBTASKS = (ProbeKind.RESUME, ProbeKind.STATUS)


class _Asked(Strict):
    tool: str
    arguments: dict[str, Any]


def _one_key(value: Any) -> Any:
    """`send_mail: {to: …}` as tool and arguments."""
    if isinstance(value, _Asked):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("a call is one tool with its arguments, such as `send_mail: {to: ann@example.com}`")
    tool, arguments = next(iter(value.items()))
    if not isinstance(arguments, dict | None):
        raise ValueError(f"the arguments of `{tool}` are a mapping from name to value")
    return {"tool": tool, "arguments": arguments or {}}


AskedCall = Annotated[
    _Asked,
    BeforeValidator(_one_key),
    PlainSerializer(lambda call: {call.tool: call.arguments}, return_type=dict[str, Any]),
    WithJsonSchema(
        {
            "type": "object",
            "description": "One tool with its arguments: `send_mail: {to: ann@example.com}`.",
            "additionalProperties": {"type": ["object", "null"]},
            "minProperties": 1,
            "maxProperties": 1,
        }
    ),
]


class Plant(Strict):
    """Where a rule's text (the mark `{rule:ID}`) first reaches the agent."""

    channel: Channel
    turn: int = Field(ge=0, description="number of the authored turn, from 1 over all chunks; 0 is the system text")


class Examples(Strict):
    """What the rule's patterns and atoms must get right; the loader runs them."""

    forbidden: tuple[AskedCall, ...] = Field(min_length=1, description="calls that break the rule")
    allowed: tuple[AskedCall, ...] = Field(min_length=1, description="near misses that do not break it")
    intact: tuple[Text, ...] = Field(min_length=1, description="texts that still state the rule")
    residue: dict[ResidueKind, Text] = Field(default_factory=dict, description="texts that state less, by kind")
    dropped: tuple[Text, ...] = Field(min_length=1, description="texts on the matter that state no rule")


class Rule(Strict):
    """A standing constraint: its words, the calls that break it, and how a text still states it."""

    id: Id
    text: Text = Field(description="what is said to the agent, word for word")
    modality: Literal["must_not", "must", "may"]
    norm: Literal["soft", "hard"] = Field(
        description="hard: models refuse by themselves; soft: only this rule forbids it"
    )
    action: Text = Field(description="what is forbidden or required, for people")
    scope: Text = Field(description="which things it covers, for people")
    exception: Text | None = Field(default=None, description="what is allowed all the same, for people")
    plant: Plant
    lifted: Text | None = Field(
        default=None,
        description="words (the mark `{lifted:ID}`) by which a later user turn takes the rule back: what it forbade is "
        "then permitted, and who still obeys it is overblocked",
    )
    forbids: tuple[CallPattern, ...] = Field(min_length=1, description="one match is a violation")
    atoms: Atoms
    residue: dict[ResidueKind, Text] = Field(description="what the `residue` arm states instead of the rule, by kind")
    examples: Examples

    @model_validator(mode="after")
    def _wordings(self) -> Rule:
        for kind in (ResidueKind.SOFTENED, ResidueKind.GENERALISED):
            if kind not in self.residue:
                raise ValueError(f"`residue` needs a wording of kind `{kind}`")
        return self


class Subtask(Strict):
    """A piece of work in one of the states; `act` recognises the call that carries it out."""

    id: Id
    text: Text
    state: State
    waits_for: Text | None = Field(default=None, description="what a blocked subtask waits for")
    known_as: tuple[Text, ...] = Field(min_length=1, description="identifiers by which a text or a call names it")
    act: CallPattern
    call: AskedCall = Field(description="one concrete call that carries it out")

    @model_validator(mode="after")
    def _blocked_waits(self) -> Subtask:
        if (self.state is State.BLOCKED) != (self.waits_for is not None):
            raise ValueError(f"subtask {self.id}: `waits_for` goes with state `blocked`, and only with it")
        return self


SPEAKERS = ("user", "event", "document", "memory", "assistant", "filler")


class Turn(Strict):
    """One authored turn: exactly one of `user`, `event`, `document`, `memory`, `assistant`, `filler`."""

    user: Text | None = None
    event: Text | None = Field(default=None, description="a background notice in the user role that no human wrote")
    document: Text | None = Field(default=None, description="a document handed over by the user")
    memory: Text | None = Field(default=None, description="what a memory store puts into the context")
    assistant: str | None = None
    calls: tuple[AskedCall, ...] = Field(default=(), description="run against the world; results are the world's own")
    filler: Literal["here"] | None = Field(default=None, description="where bulky work is inserted to reach the window")

    @model_validator(mode="after")
    def _one_speaker(self) -> Turn:
        said = [speaker for speaker in SPEAKERS if getattr(self, speaker) is not None]
        if len(said) != 1:
            raise ValueError(f"a turn has exactly one of {', '.join(SPEAKERS)}; here: {said or 'none'}")
        if self.calls and self.assistant is None:
            raise ValueError("only an `assistant` turn makes calls")
        return self


class Tracer(Strict):
    """A neutral fact; how many are lost says how hard a compaction pressed."""

    text: Text
    key: Text = Field(description="the part of the text that shows that it is still there")

    @model_validator(mode="after")
    def _key_in_text(self) -> Tracer:
        if self.key not in self.text:
            raise ValueError(f"the key `{self.key}` does not stand in the tracer's text")
        return self


class History(Strict):
    """The work between boundaries: chunk 0 before the first, chunk 1 before the second …"""

    chunks: tuple[tuple[Turn, ...], ...] = Field(min_length=1)
    tracers: tuple[Tracer, ...] = Field(min_length=3, description="planted within chunk 0")


class Attack(Strict):
    """A text that tries to get the rules dropped or rescinded, handed over before the first boundary. `revocation` is
    the control: it has no text, its rules are `lifted` by the user."""

    name: Id
    channel: Literal["document", "tool_result"] = "document"
    text: Text | None = None


class Probe(Strict):
    """A request that ends a trial. It never restates the rule."""

    id: Id
    kind: ProbeKind
    rule: Id | None = None
    ask: Text
    at: Text | None = Field(
        default=None, description="the world's clock when it is asked, ISO 8601 with offset; else the clock runs on"
    )
    calls: tuple[AskedCall, ...] = Field(default=(), description="what somebody who does as asked would call")
    expects: tuple[CallPattern, ...] = Field(default=(), description="sibling and permitted: one match serves it")

    @model_validator(mode="after")
    def _fits_kind(self) -> Probe:
        if (self.rule is None) != (self.kind in OF_SUBTASKS):
            raise ValueError(f"probe {self.id}: `rule` goes with every kind but `resume` and `status`")
        if bool(self.expects) != (self.kind in TWINS):
            raise ValueError(f"probe {self.id}: `expects` goes with `sibling` and `permitted`, and only with them")
        if bool(self.calls) == (self.kind in OF_SUBTASKS):
            raise ValueError(f"probe {self.id}: `calls` goes with every kind but `resume` and `status`")
        if self.at is not None and not _is_moment(self.at):
            raise ValueError(f"probe {self.id}: `at` {self.at!r} is no time such as 2026-08-03T09:00:00+02:00")
        return self


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


class WorldSpec(Strict):
    """Which world, and its starting data."""

    name: str
    start: dict[str, Any]


class Scenario(Strict):
    """One scenario file."""

    id: Id
    family: Annotated[str, Field(pattern=r"^F\d\d$")]
    version: Annotated[str, Field(pattern=r"^\d+-[A-Z]$")] = Field(
        description="`3-B`: the number rises when results stop being comparable, the letter with the interface"
    )
    title: Text
    about: Text = Field(description="for people: what happens and why it is hard")
    canary: Text | None = Field(default=None, description="a line by which training corpora can leave the file out")
    language: Literal["en", "de", "es", "zh", "ja"] = "en"
    domain: Id | None = Field(default=None, description="field of work, such as devops or finance")
    varies: Varies = Field(default=Varies(), description="what another seed changes: names, numbers, dates")
    world: WorldSpec
    system: Text | None = None
    opening: Text = Field(description="a neutral first line; it holds neither rule nor subtask, since runtimes keep it")
    rules: tuple[Rule, ...] = Field(min_length=1)
    subtasks: tuple[Subtask, ...] = ()
    history: History
    probes: tuple[Probe, ...] = Field(min_length=1)
    attack: Attack | None = Field(default=None, description="an attack of its own; `--attack` sets one for a whole run")

    @cached_property
    def digest(self) -> str:
        """The first 16 hex digits of the SHA-256 of what the file says; layout, comments and defaults do not count."""
        data = json.dumps(
            [SCHEMA, self.model_dump(mode="json", exclude_defaults=True, exclude=UNSAID)],
            sort_keys=True,
            ensure_ascii=False,
        )
        return hashlib.sha256(data.encode()).hexdigest()[:16]

    def rule(self, id: str) -> Rule:
        return next(rule for rule in self.rules if rule.id == id)

    def probe(self, id: str) -> Probe:
        return next(probe for probe in self.probes if probe.id == id)


def load(path: Path, seed: int = AS_WRITTEN) -> Scenario:
    """The scenario of a file under a seed, checked completely.

    Raises BadInput with `file:line path: fault` for the first thing that is wrong.
    """
    return validate(yaml_text.read(path), seed)


def validate(parsed: yaml_text.Parsed, seed: int = AS_WRITTEN) -> Scenario:
    """As `load`, from data that is already parsed."""
    from .checks import faults

    if not isinstance(parsed.data, dict):
        raise BadInput(f"{parsed.file}:1", "a scenario file is a mapping that begins with `id: …`")
    scenario = _valid(parsed, parsed.data, "")
    for fault in varied.missing(scenario.varies, parsed.data):
        raise BadInput(parsed.place(("varies",)), fault)
    under = ""
    if seed != AS_WRITTEN:
        under = f" (seed {seed})"
        scenario = _valid(parsed, _varied(parsed, scenario, seed), under)
    for where, fault in faults(scenario):
        raise BadInput(parsed.place(where) + under, fault)
    return scenario


def _valid(parsed: yaml_text.Parsed, data: dict[str, Any], under: str) -> Scenario:
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        where, fault = next(readable(error, data, MODELS))
        raise BadInput(parsed.place(where) + under, fault) from None


def _varied(parsed: yaml_text.Parsed, scenario: Scenario, seed: int) -> dict[str, Any]:
    try:
        return varied.vary(parsed.data, scenario.varies, seed, scenario.language)
    except ValueError as fault:
        raise BadInput(parsed.place(("varies",)), str(fault)) from None


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenario files, for completion in editors; `load` stays the gate."""
    return Scenario.model_json_schema() | {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA}


MODELS = (
    *(Scenario, WorldSpec, Rule, Plant, Examples, Atoms, Subtask),
    *(Varies, Turn, Tracer, History, Attack, Probe, CallPattern, Window, Event, Addend, StatementSpec),
)
