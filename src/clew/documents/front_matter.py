"""Front matter: YAML or JSON between two `---` lines, read and written."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from clew.documents.templating import stamp
from clew.words.errors import ClewError
from clew.words.printable import printable
from clew.words.redaction import redacted

if TYPE_CHECKING:
    from ruamel.yaml import YAML

__all__ = [
    "DocumentUnreadable",
    "Parts",
    "clean",
    "converted",
    "dump",
    "is_json",
    "load",
    "plain",
    "split",
    "values",
]

T = TypeVar("T")

OPENING = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
MOST_NODES = 100_000


class DocumentUnreadable(ClewError):
    """A document for people was edited so that it can no longer be read."""

    page = "document-unreadable"


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """A document taken apart; in this order its parts are the document again."""

    opening: str  # the first `---` line
    front: str
    closing: str  # the second one
    body: str


def split(text: str) -> Parts:
    """Take a document apart; raises DocumentUnreadable where there is no front matter."""
    opening = OPENING.match(text)
    closing = CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        raise DocumentUnreadable(
            "the document has no front matter between two `---` lines"
            if text.strip()
            else "the document is empty",
            hint="Move it aside; Clew rewrites it from the session's journal.",
        )
    return Parts(
        opening=opening.group(),
        front=text[opening.end() : closing.start()],
        closing=closing.group(),
        body=text[closing.end() :],
    )


def is_json(front: str) -> bool:
    """Whether front matter is JSON, as newer tools write it; YAML may have braces as well."""
    if not front.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(front), dict)
    except (ValueError, RecursionError):
        return False


def values(front: str) -> dict[str, Any]:
    """Return front matter of either form as plain values. Raises DocumentUnreadable."""
    return plain(json.loads(front, object_pairs_hook=_once) if is_json(front) else load(front))


def converted(keys: Mapping[str, Any], kind: type[T]) -> T:
    """Return plain values as a record. Raises DocumentUnreadable, naming the key."""
    try:
        return msgspec.convert(keys, kind)
    except msgspec.ValidationError as error:
        raise DocumentUnreadable(
            f"the front matter is invalid: {error}",
            hint="Correct that key, or move the document aside, and Clew rewrites it.",
        ) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DocumentUnreadable(
            f"the front matter has the duplicate key {twice!r}", hint="Remove one of the two."
        )
    return found


def load(front: str) -> Any:  # noqa: ANN401 - a round-trip map of the YAML library
    """Read front matter for writing it back; raises DocumentUnreadable."""
    from ruamel.yaml.comments import CommentedMap  # noqa: PLC0415 - slow to import
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - as above

    try:
        read = _yaml().load(front)
    except (YAMLError, ValueError, RecursionError) as error:
        where = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        at = f" in line {mark.line + 2}" if mark else ""
        raise DocumentUnreadable(
            f"the front matter is not valid YAML{at}: {where}",
            hint="Correct that line, or move the document aside, and Clew rewrites it.",
        ) from error
    if read is None:
        return CommentedMap()
    if not isinstance(read, CommentedMap):
        raise DocumentUnreadable(
            "the front matter is not a map of keys to values",
            hint="Move the document aside; Clew rewrites it from the session's journal.",
        )
    return read


def plain(front: object) -> dict[str, Any]:
    """Return what was loaded as plain values; times become ISO text.

    Raises DocumentUnreadable for a document that unfolds to more than it could sensibly hold.
    """
    left = [MOST_NODES]

    def walk(value: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise DocumentUnreadable(
                f"the front matter unfolds to more than {MOST_NODES} values",
                hint="It refers to itself, or is not a session document; move it aside.",
            )
        if isinstance(value, Mapping):
            return {str(key): walk(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple | set):
            return [walk(inner) for inner in value]
        return _scalar(value)

    result = walk(front)
    return result if isinstance(result, dict) else {}


def _scalar(value: object) -> object:
    """Return a plain value for one of the library's own."""
    if isinstance(value, datetime):
        return stamp(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else str(value)


def dump(front: Mapping[str, Any], *, mapping: int = 2, offset: int = 2) -> str:
    """Return the front matter as YAML, its maps and its lists indented by so many columns."""
    out = io.StringIO()
    yaml = _yaml()
    yaml.indent(mapping=mapping, sequence=offset + 2, offset=offset)
    yaml.dump(front, out)
    return out.getvalue()


def clean(value: object) -> Any:  # noqa: ANN401 - of the same shape as what came in
    """Return the value with all text printable, times as ISO text, tuples as lists."""
    if isinstance(value, str):
        return redacted(printable(value), frozenset())
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, Mapping):
        return {printable(str(key)): clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def _yaml() -> YAML:
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import
    from ruamel.yaml.representer import RoundTripRepresenter  # noqa: PLC0415 - as above

    class Representer(RoundTripRepresenter):
        """Writes `null` for None, as the tools do that share the format."""

    Representer.add_representer(
        type(None), lambda self, _: self.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    yaml = YAML(typ="rt", pure=True)
    yaml.Representer = Representer
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.allow_unicode = True
    return yaml
