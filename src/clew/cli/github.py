"""What GitHub Actions reads of a step: annotations, the summary, outputs."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from clew.api import State
from clew.words import events as ev
from clew.words.printable import first_line, printable

__all__ = ["add_to_summary", "annotated", "is_here", "set_outputs", "without_commands"]

MOST = 10  # annotations of one level that a step may show
SUMMARY = 1_000_000  # bytes of a step's summary

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


def is_here(environment: Mapping[str, str]) -> bool:
    """Whether this is a step of a workflow."""
    return environment.get("GITHUB_ACTIONS") == "true"


@contextmanager
def without_commands(out: IO[str]) -> Iterator[None]:
    """Keep whatever is printed meanwhile from being taken for a workflow command.

    A line of a test's output may look like one. The word that ends this is not to be guessed.
    """
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", file=out, flush=True)
    try:
        yield
    finally:
        print(f"::{word}::", file=out, flush=True)


def annotated(state: State) -> Iterator[str]:
    """Yield a line for each diagnosis that names a place: a notice where it led to green."""
    level = "notice" if state.status is ev.Status.GREEN else "error"
    for diagnosed in state.diagnoses[-MOST:]:
        told = diagnosed.diagnosis
        if not told.path:
            continue
        place = {"file": told.path, "line": str(told.line or 1), "title": first_line(told.title)}
        words = ",".join(
            f"{name}={printable(text).translate(_PROPERTY)}" for name, text in place.items()
        )
        yield f"::{level} {words}::{printable(told.root_cause).translate(_DATA)}"


def add_to_summary(environment: Mapping[str, str], page: str) -> None:
    """Append Markdown to the step's summary, as much of it as fits."""
    path = environment.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("ab") as file:
            file.write(page.encode()[:SUMMARY].decode(errors="ignore").encode() + b"\n")


def set_outputs(environment: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Hand values, of one line each, to later steps."""
    path = environment.get("GITHUB_OUTPUT")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{name}={first_line(value)}\n" for name, value in values.items())
