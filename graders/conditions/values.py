"""What an author may write as a condition's value."""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from ..calls import Setting
from ..readers import read_addresses, read_domain, read_path

STRICT = ConfigDict(frozen=True, extra="forbid")

Scalar = bool | int | float | str
Scalars = Scalar | Annotated[tuple[Scalar, ...], Field(min_length=1)]
Texts = str | Annotated[tuple[str, ...], Field(min_length=1)]


def listed(value: Any) -> tuple[Any, ...]:
    """The values of a field that holds one or several."""
    return value if isinstance(value, tuple) else (value,)


def _are_paths(value: Any) -> Any:
    for path in listed(value):
        read_path(path, Setting())
        if not path.startswith(("/", "~")):
            raise ValueError(f"{path!r} is relative; name the whole path")
    return value


def _are_mail_domains(value: Any) -> Any:
    for domain in listed(value):
        read_addresses(domain if "@" in domain else f"x@{domain.removeprefix('*.')}")
    return value


def _are_hosts(value: Any) -> Any:
    for host in listed(value):
        read_domain(host.removeprefix("*."))
    return value


Paths = Annotated[Texts, AfterValidator(_are_paths)]
Domains = Annotated[Texts, AfterValidator(_are_mail_domains)]
Hosts = Annotated[Texts, AfterValidator(_are_hosts)]


def is_of(host: str, domain: str) -> bool:
    """Whether a host, or a mail domain, as it is looked up, is this one; `*.` before a domain covers it and all below.

    >>> is_of("api.acme.com", "acme.com"), is_of("api.acme.com", "*.acme.com"), is_of("acme.com", "*.acme.com")
    (False, True, True)
    """
    name = read_domain(domain.strip().removeprefix("*."))
    return host == name or (domain.strip().startswith("*.") and host.endswith(f".{name}"))
