"""Templates, loaded on first use and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from clew.documents import markdown

if TYPE_CHECKING:
    import jinja2

__all__ = ["Safe", "duration", "fill", "moment", "stamp"]


class Safe(str):
    """Text that was made harmless for the place where it stands."""

    __slots__ = ()


def fill(package: str, name: str, /, **values: object) -> str:
    """Return the template `name` of the package's `templates` folder with its values filled in.

    A value that the template names and that is not given is an error. Text that did not go through
    one of the filters fence, code, item, cell or prose goes through item: none is put in as it is.
    """
    text = _environment(package).get_template(f"{name}.md.j2").render(values)
    return text.strip("\n") + "\n"


@cache
def _environment(package: str) -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - heavy, and not needed by most commands

    folder = resources.files(package) / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown, made harmless by the filters
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_harmless,
    )
    environment.filters.update(
        {
            made.__name__: _safe(made)
            for made in (
                *(markdown.cell, markdown.code, markdown.fence, markdown.item, markdown.prose),
                *(barred, duration, moment, stamp),
            )
        },
        join=_joined,
    )
    return environment


def _harmless(value: object) -> object:
    return markdown.item(value) if isinstance(value, str) and not isinstance(value, Safe) else value


def _safe(made: Callable[..., str]) -> Callable[..., Safe]:
    return lambda *words: Safe(made(*words))


def _joined(parts: Iterable[str], between: str = "") -> Safe:
    return Safe(between.join(str(_harmless(part)) for part in parts))


def barred(text: str) -> str:
    """Return harmless text as it may stand in a cell of a table."""
    return text.replace("|", "\\|")


def stamp(at: datetime) -> str:
    """Return the instant in ISO 8601, in UTC, to the second."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def moment(at: datetime) -> str:
    """Return the instant as people write it, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float) -> str:
    """Return a span of time in the unit that suits it."""
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
