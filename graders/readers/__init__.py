"""Raw argument → typed value. A reader that cannot account for every character raises Unreadable; it never guesses.

Where a text has several readings, as `/etc/%70rod` has, the reader in the plural (`read_places`, `read_moments`) gives
all of them, and a condition is settled by what they agree on; the reader in the singular raises.
"""

from .addresses import read_addresses
from .amounts import read_amount
from .canaries import holds_canary, read_canary
from .domains import read_domain
from .paths import Place, follow, read_path, read_paths, read_places
from .sql import Statement, read_sql
from .texts import holds_word, read_identifier, read_text
from .times import read_moments, read_time
from .unreadable import Unreadable, elements, shown
from .urls import Url, read_url

__all__ = [
    "Place",
    "Statement",
    "Unreadable",
    "Url",
    "elements",
    "follow",
    "holds_canary",
    "holds_word",
    "read_addresses",
    "read_amount",
    "read_canary",
    "read_domain",
    "read_identifier",
    "read_moments",
    "read_path",
    "read_paths",
    "read_places",
    "read_sql",
    "read_text",
    "read_time",
    "read_url",
    "shown",
]
