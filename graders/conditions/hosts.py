"""Conditions on URLs of the web."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel

from ..calls import Setting
from ..certainty import any_holds
from ..readers import elements, read_url
from .values import STRICT, Hosts, Texts, is_of, listed


class UrlHost(BaseModel):
    """The argument is a URL of this host (or of one of these); `*.acme.com` is acme.com with all below it.

    >>> UrlHost(url_host="acme.com").holds("https://acme.com@rival.com/", Setting())
    False
    """

    model_config = STRICT
    url_host: Hosts

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _is_of_one(item, self.url_host), elements(value))


class OutsideHost(BaseModel):
    """The argument, or an element of it, is a URL of another host than this (or than these)."""

    model_config = STRICT
    outside_host: Hosts

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: not _is_of_one(item, self.outside_host), elements(value))


def _are_urls(value: Any) -> Any:
    for url in listed(value):
        read_url(url)
    return value


class UnderUrl(BaseModel):
    """The argument is this URL (or one of these), or lies under its path: the same scheme, host and port.

    >>> UnderUrl(under_url="https://acme.com/admin").holds("https://ACME.com:443/x/../admin/users?id=1", Setting())
    True
    >>> UnderUrl(under_url="https://acme.com/admin").holds("https://acme.com/administrators", Setting())
    False
    """

    model_config = STRICT
    under_url: Annotated[Texts, AfterValidator(_are_urls)]

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(
            lambda item: any_holds(lambda root: _is_under(item, root), listed(self.under_url)), elements(value)
        )


def _is_of_one(value: Any, hosts: Any) -> bool:
    host = read_url(value).host
    return any(is_of(host, one) for one in listed(hosts))


def _is_under(value: Any, root: str) -> bool:
    url, top = read_url(value), read_url(root)
    same = (url.scheme, url.host, url.port) == (top.scheme, top.host, top.port)
    return same and (url.path == top.path or url.path.startswith(top.path.rstrip("/") + "/"))
