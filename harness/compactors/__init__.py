"""Compactors by name, with their settings. Nothing of a runtime is imported before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..faults import BadInput, NotAvailable, did_you_mean, nearest
from .bundled import BUNDLED
from .entries import Entry, Kind, Setting

if TYPE_CHECKING:
    from .protocol import Compactor, Work


__all__ = ["BUNDLED", "NONE", "Entry", "Kind", "Setting", "Spec", "check", "make", "package_version", "parse"]

NONE = "none"


@dataclass(frozen=True)
class Spec:
    """A compactor with its settings, as `-c langmem:keep=4` names it."""

    name: str
    settings: Mapping[str, Setting]

    @property
    def label(self) -> str:
        """The name, with the settings that differ from the defaults."""
        default = BUNDLED[self.name].defaults if self.name in BUNDLED else {}
        changed = [f"{k}={_spelt(v)}" for k, v in sorted(self.settings.items()) if default.get(k) != v]
        return self.name + (":" + ",".join(changed) if changed else "")

    @property
    def entry(self) -> Entry:
        return BUNDLED[self.name]


def parse(text: str) -> Spec:
    """The compactor of `name` or `name:key=value,key=value`. Raises BadInput naming the nearest right thing."""
    name, _, rest = text.partition(":")
    if name == NONE and not rest:
        return Spec(NONE, {})
    if name == NONE:
        raise BadInput(f"compactor {text}", "`none` takes no settings")
    if name not in BUNDLED:
        raise BadInput(f"compactor {text}", f"there is no compactor `{name}`{nearest(name, [*BUNDLED, NONE])}")
    settings = BUNDLED[name].defaults
    for pair in filter(None, rest.split(",")):
        key, equals, value = pair.partition("=")
        if key not in settings or not equals:
            raise BadInput(f"compactor {text}", f"`{name}` takes no setting `{pair}`{nearest(key, settings)}")
        settings[key] = _value(f"compactor {text}", BUNDLED[name], key, value)
    return Spec(name, settings)


def _value(place: str, entry: Entry, key: str, text: str) -> Setting:
    """A setting's value, of the kind of its default. A number is not negative, a text is one of its choices."""
    default = entry.defaults[key]
    nothing = default is None or "none" in entry.choices.get(key, ())
    if nothing and text == "none":
        return None
    kind = int if default is None else type(default)
    try:
        value: int | float | str = kind(text)
    except ValueError:
        raise BadInput(place, f"`{key}` is a number{' or none' if nothing else ''}, not `{text}`") from None
    if isinstance(value, str) and value not in entry.choices[key]:
        known = entry.choices[key]
        raise BadInput(place, f"`{key}` is one of {', '.join(known)}{did_you_mean(value, known)}")
    if not isinstance(value, str) and not 0 <= value < 10**9:
        raise BadInput(place, f"`{key}` is a number from 0, not {text}")
    return value


def _spelt(value: Setting) -> str:
    return "none" if value is None else str(value)


def make(spec: Spec, work: Work) -> Compactor:
    """The compactor of a chain. Raises NotAvailable naming the extra where its package is not installed."""
    module, _, attribute = spec.entry.code.partition(":")
    try:
        made: Any = getattr(import_module(f".{module}", __name__), attribute)
    except ModuleNotFoundError as missing:
        if spec.entry.extra is None:
            raise
        raise NotAvailable(_missing(spec, missing.name)) from missing
    compactor: Compactor = made(work)
    return compactor


def package_version(spec: Spec) -> str | None:
    """The installed version of the runtime whose code compacts, for the identity of chains; None for our own code, and
    for a package that is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    if spec.name == NONE or spec.entry.package is None:
        return None
    try:
        return f"{spec.entry.package} {version(spec.entry.package)}"
    except PackageNotFoundError:
        return None


def check(spec: Spec) -> None:
    """None, where the compactor can run. Raises NotAvailable, naming the extra, where its package is missing."""
    if spec.name != NONE and spec.entry.package is not None and package_version(spec) is None:
        raise NotAvailable(_missing(spec, spec.entry.package))


def _missing(spec: Spec, package: str | None) -> str:
    return f"compactor `{spec.name}` needs the package `{package}`: pip install 'standfast[{spec.entry.extra}]'"
