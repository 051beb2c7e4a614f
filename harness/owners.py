"""Who may write and who may act where a compacted context holds a provider's own block."""

from __future__ import annotations

from collections.abc import Sequence

from .compactors import NONE, Spec
from .faults import BadInput


def check(spec: Spec, writer: str | None, actors: Sequence[str]) -> None:
    """None, where the writer and the actors besides it are models of the provider whose block the compactor leaves:
    that of its entry, or the writer's, where the entry names none.

    Others drop such a block without a word, or fail: the rule would be gone for a reason that is no compaction. Raises
    BadInput naming compactor, writer and actor.
    """
    if spec.name == NONE or not spec.entry.opaque:
        return
    provider = spec.entry.provider or str(writer).partition("/")[0]
    foreign = [("writer", writer)] if not _is_of(writer, provider) else []
    foreign += [("actor", actor) for actor in actors if not _is_of(actor, provider)]
    if foreign:
        role, model = foreign[0]
        who = f"writer {writer}, actor {', '.join(actors) or writer}"
        raise BadInput(
            f"compactor {spec.label}",
            f"{who}: the {role} `{model}` is no {provider} model, and only those can "
            f"{'write' if role == 'writer' else 'act on'} what it leaves; name {provider}/… for both, or run this "
            "compactor by itself",
        )


def _is_of(model: str | None, provider: str) -> bool:
    return model is not None and model.partition("/")[0] == provider
