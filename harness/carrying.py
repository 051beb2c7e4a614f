"""Whether an actor can meet the blocks of a context, and what its requests need for it."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, Model

from .blocks import provider_of


class ForeignBlock(Exception):
    """The context holds a block of another provider than the actor's; without it the actor would see another context,
    and with it the provider fails. The trial is void."""


def carry_blocks(actor: Model, context: Sequence[ChatMessage]) -> None:
    """None, once the actor's requests carry the blocks of the context unchanged. Raises ForeignBlock."""
    owners = {owner for message in context if (owner := provider_of(message)) is not None}
    foreign = owners - {str(actor).partition("/")[0]}
    if foreign:
        raise ForeignBlock(
            f"the context holds a block of {', '.join(sorted(foreign))}, which {actor} cannot read; "
            f"only {', '.join(sorted(foreign))} models can act on it"
        )
    if "anthropic" in owners:
        from .compactors.claude_blocks import carry

        carry(actor)
