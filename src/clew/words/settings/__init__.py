"""Settings: declared once, in `clew.words.declared`; key, variable, option and help derive from it.

A later source wins: default, `[tool.clew]` of pyproject.toml, clew.toml, a `CLEW_*` variable, a
flag of the command line. Every value remembers where it came from. A key that is not declared, or a
value of the wrong type, is an error that names the source, never ignored.

A session keeps its settings, as one value, in the event that opens it.
"""

from clew.words.settings.loading import COMMAND_LINE, FOR_ONE_RUN, load
from clew.words.settings.values import (
    OWN_FOLDER,
    OWN_NAME,
    OWN_PORT,
    Budget,
    Cap,
    Price,
    Settings,
    TestSettings,
)

__all__ = [
    "COMMAND_LINE",
    "FOR_ONE_RUN",
    "OWN_FOLDER",
    "OWN_NAME",
    "OWN_PORT",
    "Budget",
    "Cap",
    "Price",
    "Settings",
    "TestSettings",
    "load",
]
