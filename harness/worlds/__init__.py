"""Worlds: simulated tools over an in-memory state. A world is imported when it is asked for, not before."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .world import World

BUNDLED: dict[str, str] = {
    "chat": "standfast.harness.worlds.chat:Chat",
    "cluster": "standfast.harness.worlds.cluster:Cluster",
    "cutover": "standfast.harness.worlds.cutover:Cutover",
    "database": "standfast.harness.worlds.database:Databases",
    "deployment": "standfast.harness.worlds.deployment:Deployment",
    "files": "standfast.harness.worlds.files:Files",
    "hiring": "standfast.harness.worlds.hiring:Hiring",
    "house": "standfast.harness.worlds.house:House",
    "ledger": "standfast.harness.worlds.ledger:Ledger",
    "mailbox": "standfast.harness.worlds.mailbox:Mailbox",
    "payables": "standfast.harness.worlds.payables:Payables",
    "publishing": "standfast.harness.worlds.publishing:Publishing",
    "repository": "standfast.harness.worlds.repository:Repository",
    "spending": "standfast.harness.worlds.spending:Spending",
    "stub": "standfast.harness.worlds.stub:Stub",
    "support": "standfast.harness.worlds.support:Support",
    "vendor": "standfast.harness.worlds.vendor:Vendor",
}


def world_type(name: str) -> type[World]:
    """The class of a bundled world; an unknown name is a ValueError that says the nearest right one."""
    if name not in BUNDLED:
        from .world import nearest

        raise ValueError(f"there is no world `{name}`; {nearest(name, BUNDLED)}")
    module, _, attribute = BUNDLED[name].partition(":")
    found: type[World] = getattr(import_module(module), attribute)
    return found
