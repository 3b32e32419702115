"""Files of source code as text: in UTF-8, or the encoding that a file of Python declares."""

from __future__ import annotations

import io
import tokenize

__all__ = ["Unreadable", "as_run", "decoded", "encoded", "readable"]

UTF8 = "utf-8"


class Unreadable(ValueError):
    """A file is not in the encoding that it has to be in, or a text cannot be written in it."""


def decoded(path: str, content: bytes) -> str:
    """Return a file as text, byte for byte; raises Unreadable."""
    name = _encoding(path, content)
    try:
        text = content.decode(name)
        if text.encode(name) == content:
            return text
    except (LookupError, UnicodeError) as error:
        raise Unreadable(str(error)) from error
    raise Unreadable(f"its bytes are not what {name} makes of them")


def readable(path: str, content: bytes) -> str:
    """Return a file as text for reading only: what cannot be decoded is replaced."""
    try:
        return decoded(path, content)
    except Unreadable:
        return content.decode(UTF8, "replace")


def as_run(path: str, content: bytes) -> str:
    """Return a file as Python reads it: by what it declares, and without a byte order mark."""
    try:
        text = content.decode(_encoding(path, content), "replace")
    except (LookupError, UnicodeError):
        text = content.decode(UTF8, "replace")
    return text.removeprefix("\ufeff").encode(UTF8, "replace").decode()


def encoded(path: str, text: str, before: bytes) -> bytes:
    """Return a changed text in the encoding that the file had before; raises Unreadable."""
    name = _encoding(path, before)
    try:
        return text.encode(name)
    except UnicodeError as error:
        raise Unreadable(str(error)) from error


def _encoding(path: str, content: bytes) -> str:
    if not path.endswith((".py", ".pyi", ".pyw")):
        return UTF8
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError:  # an unknown name, or a first line that is not UTF-8
        return UTF8
    return UTF8 if name == "utf-8-sig" else name
