"""What is said of a bundled compactor: where its code is, what kind it is, what it keeps, which settings it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Setting = int | float | str | None

# settings of a runtime that has a threshold of its own, with the choices of `trigger`; see protocol.py
TRIGGER: Mapping[str, Setting] = {"trigger": "forced", "window": 8000}
TRIGGERS: Mapping[str, tuple[str, ...]] = {"trigger": ("forced", "threshold")}


class Kind(StrEnum):
    """Who decides what stays: a model that writes, code alone, or a provider whose block nobody can read."""

    WRITTEN = "model-written"
    MECHANICAL = "mechanical"
    OPAQUE = "opaque"


@dataclass(frozen=True)
class Entry:
    """One bundled compactor.

    `code` is `module:Class` in this package. `keeps`, `originals` and `shows` say, in a few words each, what stays word
    for word, where what was folded goes, and what the writer is shown. A setting whose default is None is a number or
    `none`; one with `choices` is one of them. `bounds_writer`: the runtime itself limits the writer's output; a summary
    that ends there is the runtime's way. `provider`: the only provider whose models can compact so, or can read what is
    left. `spares`: the channels of planting that it leaves word for word by construction; that a rule of such a channel
    stays is a finding, while elsewhere it means that the history was too short.
    """

    code: str
    about: str
    kind: Kind
    keeps: str
    originals: str
    shows: str = "nothing is written"
    bounds_writer: bool = False
    extra: str | None = None
    package: str | None = None
    provider: str | None = None
    spares: tuple[str, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def writes(self) -> bool:
        """Whether a model is called at the boundary: it has a writer, and its draws differ."""
        return self.kind is not Kind.MECHANICAL

    @property
    def opaque(self) -> bool:
        """Whether what is left is a provider's own block, which nobody else can read."""
        return self.kind is Kind.OPAQUE

    @property
    def defaults(self) -> dict[str, Setting]:
        """Every setting with its default; whatever a model writes can be given a budget of tokens."""
        return {**self.settings, **({"budget": None} if self.kind is Kind.WRITTEN else {})}
