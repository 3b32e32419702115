"""The environment of programs that may be anybody's code."""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["clean_environment", "is_heeded_first"]

# Where a person is and what language they speak; nothing that could hold a key.
HARMLESS = frozenset({"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "TERM", "TZ", "USER"})
LOCALE = frozenset(
    f"LC_{part}"
    for part in (
        *("ADDRESS", "ALL", "COLLATE", "CTYPE", "IDENTIFICATION", "MEASUREMENT", "MESSAGES"),
        *("MONETARY", "NAME", "NUMERIC", "PAPER", "TELEPHONE", "TIME"),
    )
)


def clean_environment(keep: Mapping[str, str] | None = None) -> dict[str, str]:
    """Build an environment from nothing: where the person is, and what the caller names in `keep`.

    Of this process's own variables only home, locale, path, terminal, time zone and user come
    along; relative folders leave the path. TMPDIR is the sandbox's private /tmp.
    """
    mine = {name: value for name, value in os.environ.items() if name in HARMLESS or name in LOCALE}
    folders = mine.get("PATH", os.defpath).split(os.pathsep)
    absolute = os.pathsep.join(folder for folder in folders if folder.startswith("/"))
    mine["PATH"] = absolute or os.defpath
    return {**mine, "TMPDIR": "/tmp", **(keep or {})}  # noqa: S108 - a private one


# What the C library heeds before a program begins, and drops where a program gains privileges.
FIRST = frozenset(
    {
        *("GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH"),
        *("NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF", "RES_OPTIONS", "TZDIR"),
        *("LD_ASSUME_KERNEL", "LD_AUDIT", "LD_BIND_NOT", "LD_BIND_NOW", "LD_DYNAMIC_WEAK"),
        *("LD_HWCAP_MASK", "LD_LIBRARY_PATH", "LD_ORIGIN_PATH", "LD_POINTER_GUARD", "LD_PRELOAD"),
        *("LD_SHOW_AUXV", "LD_USE_LOAD_BIAS", "LD_VERBOSE", "LD_WARN"),
    }
)
BEGINNINGS = ("LD_DEBUG", "LD_PREFER_", "LD_PROFILE", "LD_TRACE_", "MALLOC_")


def is_heeded_first(name: str) -> bool:
    """Say whether a variable may load foreign code into whatever program is started with it."""
    return name in FIRST or name.startswith(BEGINNINGS)
