"""Secrets in text from outside, taken out before it is kept: keys by their shape, and by value.

A shape is what only a secret looks like; hashes, commit ids and UUIDs are none. Values are those of
this process's environment whose names say that they are secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import msgspec

__all__ = [
    "LEAST",
    "REDACTED",
    "redacted",
    "redacted_paste",
    "secret_values",
    "with_texts",
    "without_secrets",
]

T = TypeVar("T")

REDACTED = "[redacted]"

# What has to be in a text for a shape to be looked for; the shape; a group of it is kept.
_SHAPES = (
    ("A", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("ccess", r"(?i)((?:secret_?access_?key|aws_secret)\W{1,6})[A-Za-z0-9/+]{40}(?![\w/+])"),
    ("gh", r"\bgh[pousr]_[A-Za-z0-9]{36,251}\b"),
    ("github_pat_", r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
    ("glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("sk-", r"\bsk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,}"),
    ("sk-", r"\bsk-[A-Za-z0-9]{20,}\b"),
    ("AIza", r"\bAIza[A-Za-z0-9_-]{35}(?![\w-])"),
    ("GOCSPX-", r"\bGOCSPX-[A-Za-z0-9_-]{28}"),
    ("ya29.", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("xapp-", r"\bxapp-\d-[A-Za-z0-9-]{20,}"),
    ("hooks.slack.com", r"(hooks\.slack\.com/(?:services|workflows)/)[A-Za-z0-9/]{20,}"),
    ("eyJ", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("_authToken", r"(_authToken\s*=\s*)[^\s\"']{8,}"),
    ("pypi-", r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    ("_live_", r"\b[sr]k_live_[A-Za-z0-9]{16,}\b"),
    ("whsec_", r"\bwhsec_[A-Za-z0-9+/]{24,}"),
    ("SG.", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("hf_", r"\bhf_[A-Za-z0-9]{34,}\b"),
    ("dckr_pat_", r"\bdckr_pat_[A-Za-z0-9_-]{20,}"),
    ("dop_v1_", r"\bdop_v1_[a-f0-9]{64}\b"),
    ("AccountKey=", r"(AccountKey=)[A-Za-z0-9+/]{40,}={0,2}"),
    ("AGE-SECRET-KEY-", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b"),
    (
        "uthorization",
        r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?(?:basic|bearer|token)\s+)[\w.+/=~-]{8,}",
    ),
    ("://", r"(://[^\s/:@\"']{0,64}:)[^\s/@\"']{1,256}(?=@)"),
    (
        "PRIVATE KEY",
        (
            r"(?s)-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r".{0,20000}?(?:-----END (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)"
        ),
    ),
)

_NAMED = re.compile(
    r"(?i)(?:^|_)(?:api_?key|access_?key|private_?key|secret|token|pass(?:word|wd|phrase)?|pwd"
    r"|credentials?|auth|key|pat)(?:_|$|\d)"
    r"|(?:password|passwd|passphrase|secret(?:_?key)?|api_?key)(?:_|$|\d)"
)
_ASSIGNED = re.compile(
    r"(?i)((?:api_?key|access_?key|private_?key|secret(?:_?key)?|token|pass(?:word|wd|phrase)|pwd)"
    r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?)(?=[^\s\"'\d]{0,256}\d)[\w+/=.!@#%^*~-]{8,256}(?![\w(\[])"
)
_NOT_ITSELF = re.compile(r"(?i)_(?:file|path|dir|sock|socket|name|url|uri|type|id|counter|env)$")
LEAST = 8  # characters: shorter ones stand in too many words


def secret_values(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the values of variables whose names say that they hold a secret."""
    return frozenset(
        value.strip()
        for name, value in environment.items()
        if _NAMED.search(name)
        and not _NOT_ITSELF.search(name)
        and len(value.strip()) >= LEAST
        and not value.startswith("/")
        and not value.isalpha()
    )


def redacted(text: str, values: frozenset[str] | None = None) -> str:
    """Return the text with each secret replaced; without `values`, those of the environment."""
    known = secret_values(os.environ) if values is None else values
    for value in sorted(known, key=len, reverse=True):  # one may be a part of another
        if value in text:
            text = text.replace(value, REDACTED)
    for mark, shape in _SHAPES:
        if mark in text:
            text = re.sub(shape, _kept, text)  # compiled once it is needed
    return text


def redacted_paste(text: str) -> str:
    """Return what a person pasted with secrets replaced, and values that a name says are secret.

    In code such a value may be no secret at all, so `redacted` leaves them.
    """
    return _ASSIGNED.sub(_kept, redacted(text))


def _kept(found: re.Match[str]) -> str:
    return f"{found.group(1) if found.lastindex else ''}{REDACTED}"


def without_secrets(record: T, *, keep: frozenset[str] = frozenset()) -> T:
    """Return a record with the secrets in its texts replaced, but for the fields named in `keep`.

    A record without secrets is returned as it is.
    """
    values = secret_values(os.environ)
    return with_texts(
        record, lambda text: redacted(text, values) if len(text) >= LEAST else text, keep=keep
    )


def with_texts(record: T, change: Callable[[str], str], *, keep: frozenset[str] = frozenset()) -> T:
    """Return a record with its texts changed, but for the fields named in `keep`.

    A record of which nothing changes is returned as it is.
    """

    def clean(value: object) -> object:
        if isinstance(value, str):
            return change(value) if type(value) is str else value
        if isinstance(value, msgspec.Struct):
            names = [name for name in value.__struct_fields__ if name not in keep]
            changed = {
                name: new
                for name in names
                if (new := clean(old := getattr(value, name))) is not old
            }
            return msgspec.structs.replace(value, **changed) if changed else value
        if isinstance(value, tuple):
            new = tuple(clean(each) for each in value)
            same = all(one is other for one, other in zip(value, new, strict=True))
            return value if same else new
        if isinstance(value, dict):
            new_values = {name: clean(each) for name, each in value.items()}
            same = all(new_values[name] is value[name] for name in value)
            return value if same else new_values
        return value

    return cast("T", clean(record))
