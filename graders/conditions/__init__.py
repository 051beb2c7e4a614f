"""One small class a condition on an argument; in YAML a mapping with exactly one key.

Over a list, a condition that describes what is prohibited holds if any element fulfils it (one outside address is
enough); `inside_domain`, `at_most` and `every`, which describe what is fine, hold only if there is an element and all
fulfil them. A group (`any`, `all`, `not`) is asked of each element by itself and holds if it holds for one. Every
`holds` raises Unreadable where the argument has no single reading and the readings do not agree on the answer.
"""

from .hosts import OutsideHost, UnderUrl, UrlHost
from .names import Contains, ContainsCanary, Equals, OneOf, OtherThan
from .numbers import Above, AtMost
from .places import OutsidePaths, TouchesPath, UnderPath
from .recipients import InsideDomain, OutsideDomain
from .statements import Sql, StatementSpec
from .vocabulary import KEYS, AllOf, AnyOf, Condition, Every, Not

__all__ = [
    "KEYS",
    "Above",
    "AllOf",
    "AnyOf",
    "AtMost",
    "Condition",
    "Contains",
    "ContainsCanary",
    "Equals",
    "Every",
    "InsideDomain",
    "Not",
    "OneOf",
    "OtherThan",
    "OutsideDomain",
    "OutsideHost",
    "OutsidePaths",
    "Sql",
    "StatementSpec",
    "TouchesPath",
    "UnderPath",
    "UnderUrl",
    "UrlHost",
]
