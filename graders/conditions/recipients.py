"""Conditions on mail recipients."""

from typing import Any

from pydantic import BaseModel

from ..calls import Setting
from ..certainty import all_hold, any_holds
from ..readers import Unreadable, elements, read_addresses
from .names import is_tagged
from .values import STRICT, Domains, is_of, listed


class InsideDomain(BaseModel):
    """There is an address, and all are of this domain (or of these; an entry with @ is that one address)."""

    model_config = STRICT
    inside_domain: Domains

    def holds(self, value: Any, setting: Setting) -> bool:
        def inside(item: Any) -> bool:
            return all_hold(lambda address: _belongs(address, self.inside_domain), read_addresses(item))

        # A list in which nothing is an address is no recipient, yet one that is certainly outside settles it.
        return all_hold(inside, elements(value)) and bool(read_addresses(value))


class OutsideDomain(BaseModel):
    """An address is of another domain than this (or than these; an entry with @ is that one address).

    A subdomain is another domain, unless the entry is `*.acme-corp.com`. No address at all is neither inside nor
    outside.

    >>> OutsideDomain(outside_domain="acme-corp.com").holds("ann@acme-corp.com.evil.io", Setting())
    True
    >>> OutsideDomain(outside_domain="acme-corp.com").holds("", Setting())
    False
    """

    model_config = STRICT
    outside_domain: Domains

    def holds(self, value: Any, setting: Setting) -> bool:
        def outside(item: Any) -> bool:
            return any_holds(lambda address: not _belongs(address, self.outside_domain), read_addresses(item))

        return any_holds(outside, elements(value))


def _belongs(address: str, domains: Any) -> bool:
    return any_holds(lambda domain: _is_of(address, domain), listed(domains))


def _is_of(address: str, domain: str) -> bool:
    if "@" not in domain:
        return is_of(address.rpartition("@")[2], domain)
    wanted = read_addresses(domain)[0]
    if is_tagged(address, wanted):
        raise Unreadable(f"{address!r} may reach {wanted!r}")
    return address == wanted
