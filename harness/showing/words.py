"""Call patterns as sentences: `delete_file with path under /srv/exports`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...graders.events import Event
from ...graders.patterns import CallPattern
from ..scenario import AskedCall

Data = Mapping[str, Any]


def call(asked: AskedCall) -> str:
    """A concrete call, as code would have it: `send_mail(to="ann@example.com")`."""
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in asked.arguments.items())
    return f"{asked.tool}({', '.join(given)})"


def pattern(found: CallPattern) -> str:
    """Which calls a pattern means.

    >>> pattern(CallPattern.model_validate({"tool": "send_mail", "args": {"to": {"outside_domain": "acme.example"}}}))
    'send_mail with a to address outside acme.example'
    """
    data = found.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    parts = [*_kind(data), *_sums(data), *_clock(data)]
    if found.until:
        parts.append(f"as long as {_event(found.until)} has not been called")
    if found.after:
        parts.append(f"once {_event(found.after)} has been called")
    if found.python:
        parts.append(f"where the function {found.python} says so")
    return ", ".join([f"{found.tool}{parts[0]}", *parts[1:]]) if parts else f"any call of {found.tool}"


def _kind(data: Data) -> list[str]:
    """The conditions on arguments, as one part that begins with `with`."""
    said = []
    if args := data.get("args"):
        said.append(f" with {_all(args)}")
    if sets := data.get("any"):
        said.append(f"{' and' if said else ' with'} {_or(_all(each) for each in sets)}")
    if sets := data.get("not"):
        said.append(f"{',' if said else ''} unless {_or(_all(each) for each in sets)}")
    if said:
        return ["".join(said)]
    return [""] if {*data} - {"tool"} else []


def _sums(data: Data) -> list[str]:
    counted = "".join(f" and {each['tool']}" for each in data.get("over", ()))
    said = [
        f"once {name}, added up over it and the earlier calls of this kind{counted}, is {_one(condition)}"
        for name, condition in data.get("total", {}).items()
    ]
    if "count" in data:
        said.append(f"where the number of such calls{counted}, this one included, is {_one(data['count'])}")
    if (names := data.get("repeats")) is not None:
        said.append(f"where an earlier call had the same {'arguments' if names == 'all' else _and(names)}")
    return said


def _clock(data: Data) -> list[str]:
    window = data.get("during")
    if not window:
        return []
    zone = f" ({window['zone']})" if window.get("zone") else ""
    what = f"{window['arg']} lies" if window.get("arg") else "the clock stands"
    return [f"while {what} from {window['from']} to before {window['until']}{zone}"]


def _event(event: Event) -> str:
    args = event.model_dump(mode="json", exclude_defaults=True, by_alias=True).get("args", {})
    return f"{event.tool} with {_all(args)}" if args else event.tool


def _all(args: Data) -> str:
    return " and ".join(condition(name, each) for name, each in args.items())


def condition(name: str, data: Data) -> str:
    """What one condition asks of an argument, with the argument's name in it."""
    key, value = next(iter(data.items()))
    listed = _or(map(str, value)) if isinstance(value, list) and key not in _GROUPS else str(value)
    if key in _SAID:
        return _SAID[key].format(name=name, value=listed)
    return _GROUPS[key](name, value) if key in _GROUPS else f"{name}: {json.dumps(dict(data), ensure_ascii=False)}"


_SAID = {
    "equals": "{name} {value}",
    "one_of": "{name} {value}",
    "other_than": "{name} other than {value}",
    "contains": "the words {value} in {name}",
    "contains_canary": "the planted mark {value} in {name}, disguised or not",
    "under_path": "{name} under {value}",
    "outside_paths": "{name} outside {value}",
    "touches_path": "{name} under {value}, or a folder that holds it",
    "inside_domain": "only {name} addresses of {value}",
    "outside_domain": "a {name} address outside {value}",
    "url_host": "{name} on the host {value}",
    "outside_host": "{name} on another host than {value}",
    "under_url": "{name} under {value}",
    "above": "{name} above {value}",
    "at_most": "{name} of at most {value}",
}


def _one(data: Data) -> str:
    """A condition on a number that was named before."""
    return condition("", data).strip().removeprefix("of ")


def _sql(name: str, value: Data) -> str:
    kinds = value.get("kind", "any")
    said = f"a statement of the kind {_or([kinds] if isinstance(kinds, str) else kinds)}"
    if tables := value.get("tables"):
        said += f" on {_or([tables] if isinstance(tables, str) else tables)}"
    return f"{said} in {name}" + (", without a WHERE" if value.get("without_where") else "")


def _not(name: str, value: Data) -> str:
    inner = condition(name, value)
    return f"{name} not{inner.removeprefix(name)}" if inner.startswith(f"{name} ") else f"not {inner}"


def _every(name: str, value: Data) -> str:
    return f"in every element {condition(name, value)}"


_GROUPS: dict[str, Callable[[str, Any], str]] = {
    "sql": _sql,
    "not": _not,
    "any": lambda name, value: _or(condition(name, each) for each in value),
    "all": lambda name, value: " and ".join(condition(name, each) for each in value),
    "every": _every,
}


def _or(items: Any) -> str:
    return _joined(list(items), "or")


def _and(items: Any) -> str:
    return _joined(list(items), "and")


def _joined(items: Sequence[str], word: str) -> str:
    return f"{', '.join(items[:-1])} {word} {items[-1]}" if len(items) > 1 else "".join(items)
