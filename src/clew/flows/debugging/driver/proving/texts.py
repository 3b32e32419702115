"""The claims of a proof that follow from the text of the fix."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from clew.analysis.counterexamples import tests_in
from clew.analysis.tampering import (
    ASKS,
    belongs,
    built_in,
    functions,
    given_away,
    given_by,
    hidden,
    leads_out,
    lends,
    looks,
    loosened,
    of_doubles,
    peeks,
    questions,
    special_cases,
)
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.git.worktrees import ChangeKind
from clew.words import events as ev

__all__ = ["new_refusals", "text_rows"]

LINK = "120000"
ALL_SHOWN = "the diff shows all of the fix"
# Where code ends so at a value of a test, a guard for just that value is what is asked for.
EDGES = frozenset(
    {"IndexError", "KeyError", "OverflowError", "RecursionError", "StopIteration", "ValueError"}
    | {"ZeroDivisionError"}
)


class TextFindings(msgspec.Struct, frozen=True):
    """What the text of a fix says, each with its place."""

    values: tuple[str, ...]  # of the failing tests, built in
    peeks: tuple[str, ...]  # into the tests
    doubts: tuple[str, ...]  # as those, and perhaps rightly so
    eyes: tuple[str, ...]  # on the runner
    hidden: tuple[str, ...]  # from whoever reads the diff

    def without(self, kept: TextFindings) -> TextFindings:
        """Leave out what is not said since `kept`."""
        return TextFindings(
            values=tuple(each for each in self.values if each in kept.values),
            peeks=tuple(each for each in self.peeks if each in kept.peeks),
            doubts=tuple(each for each in self.doubts if each in kept.doubts),
            eyes=tuple(each for each in self.eyes if each in kept.eyes),
            hidden=tuple(each for each in self.hidden if each in kept.hidden),
        )


class Given(msgspec.Struct, frozen=True):
    """What failing tests write down."""

    tests: tuple[str, ...]
    wanting: tuple[str, ...]  # those that got an answer, and wanted another
    helped: tuple[str, ...]  # these, with the helpers that they call


def text_rows(case: Case) -> tuple[ev.ProofRow, ...]:
    """Claim what the text of the fix says: no value of the tests, nothing of the runner, all."""
    rows = (*_rows(_read(case, _given(case, case.turned), case.base)), _strict(case))
    return tuple(_as_read(case, row) for row in rows)


def _as_read(case: Case, row: ev.ProofRow) -> ev.ProofRow:
    """Say of a claim that is about Python alone that it is, where other code was changed."""
    silent = row.holds and row.claim != ALL_SHOWN and case.foreign
    return (
        untested(row.claim, f"only Python is read so, not {shown([*case.foreign])}")
        if silent
        else row
    )


def _strict(case: Case) -> ev.ProofRow:
    """Claim that the code is as strict as it was; a right fix may well make it less so."""
    texts = {path: (case.text(case.base, path), case.text(case.commit, path)) for path in case.code}
    found = loosened(texts)
    return ev.ProofRow(
        claim="no check is lost, and no error of any kind kept quiet",
        measured=f"weakly tested: {shown([*found])}" if found else "none is",
        holds=not found,
        decides=False,
    )


def new_refusals(case: Case, kept: str) -> tuple[ev.ProofRow, ...]:
    """Return what a proof would refuse in the text of progress, and was not in the `kept` code.

    All failing tests are asked, also those that are red still: they are to be green in the end.
    """
    files = case.unloaded
    within = {r.id for r in case.green.results if any(belongs(r.id, file) for file in files)}
    given = _given(case, tuple(sorted({*case.failing, *within})))
    since = _read(case, given, case.base).without(_read(case, given, kept))
    return tuple(row for row in _rows(since) if row.against)


def _read(case: Case, given: Given, base: str) -> TextFindings:
    """Return what a fix says that `base` did not."""
    values: list[str] = []
    peeked: list[str] = []
    doubts: list[str] = []
    eyes: list[str] = []
    for path in case.code:
        before, after = case.text(base, path), case.text(case.commit, path)
        values += [f"{path}:{words}" for words in _built_in(case, path, (before, after), given)]
        for special in special_cases(before, after, given.helped):
            (doubts if special.doubtful else values).append(
                f"{path}:{special.line} {special.words}"
            )
        peeked += [f"{path} {words}" for words in peeks(before, after, case.known)]
        eyes += [f"{path} {words}" for words in looks(before, after)]
    doubts += _of_doubles(case, base)
    return TextFindings(
        values=tuple(values),
        peeks=tuple(peeked),
        doubts=tuple(doubts),
        eyes=tuple(eyes),
        hidden=tuple(_hidden(case, base)),
    )


def _of_doubles(case: Case, base: str) -> Iterator[str]:
    """Yield what a fix asks of objects that only doubles of the tests can answer."""
    asked = {
        path: found
        for path in case.code
        if (found := questions(case.text(base, path), case.text(case.commit, path)))
    }
    if not asked:
        return
    python = [path for path in case.known if path.endswith(".py")]
    tests = {path for path in python if is_test_path(path)}
    product = (case.text(base, path) for path in python if path not in tests)
    names = {name for found in asked.values() for name in found}
    only = of_doubles(names, product, (case.text(base, path) for path in sorted(tests)))
    for path, found in asked.items():
        for name in sorted(only & found.keys()):
            yield f"{path}:{found[name]} asks for `{name}`, which only a double of the tests has"


def _hidden(case: Case, base: str) -> Iterator[str]:
    """Yield what the diff of a fix does not show, by file."""
    repository = case.debug_run.repository
    paths = {each.path for each in case.changes if each.kind is not ChangeKind.DELETED}
    before, after = (repository.texts(commit, paths) for commit in (base, case.commit))
    links = {path for path, blob in repository.blobs(case.commit).items() if blob.mode == LINK}
    for path in sorted(paths & after.keys()):
        content = after[path]
        if path not in links:
            said = hidden(path, before.get(path), content)
        else:
            said = leads_out(path, os.fsdecode(content))
        yield from (f"{path}: {words}" for words in said)


def _given(case: Case, turned: tuple[str, ...]) -> Given:
    crashed = {r.id for r in case.baseline.red if r.crash and r.crash.type in EDGES}
    tests: list[str] = []
    wanting: list[str] = []
    helped: list[str] = []
    lent: dict[str, tuple[str, ...]] = {}
    for test, (path, name) in case.places(turned).items():
        text = case.text(case.base, path)
        found = functions(text, name)
        tests += found
        if test in crashed:
            continue
        wanting += found
        if path not in lent:
            others = lends(path, text, case.known)
            lent[path] = (text, *(case.text(case.base, other) for other in others))
        helped += given_by(lent[path], name)
    for text in case.challenges:  # a later fix may know these as well
        for name in tests_in(text):
            tests += functions(text, name)
            wanting += functions(text, name)
            helped += given_by((text,), name)
    return Given(tuple(tests), tuple(wanting), tuple(dict.fromkeys(helped)))


def _built_in(case: Case, path: str, texts: tuple[str, str], given: Given) -> Iterator[str]:
    before, after = texts
    found = built_in(before, after, given.tests)
    if any(each.role == ASKS for each in found):
        found = built_in(before, after, given.tests, case.texts_beside(path))
    for literal in found:
        yield f"{literal.line} {literal.role} {literal.literal}"
    for answer in given_away(before, after, given.wanting):
        yield f"{answer.line} {answer.words}"


def _rows(said: TextFindings) -> tuple[ev.ProofRow, ...]:
    doubts = f"weakly tested: {shown([*said.doubts])}" if said.doubts else ""
    return (
        ev.ProofRow(
            claim="no value of the failing tests is built into the fix",
            measured=shown([*said.values, *said.peeks]) or doubts or "none is",
            holds=not (said.values or said.peeks or said.doubts),
            decides=bool(said.values or said.peeks) or not said.doubts,
            doubt=not said.peeks,
        ),
        ev.ProofRow(
            claim="the fix does not mention the test runner",
            measured=shown([*said.eyes]) or "it does not",
            holds=not said.eyes,
        ),
        ev.ProofRow(
            claim=ALL_SHOWN,
            measured=shown([*said.hidden]) or "all of it is text that can be read",
            holds=not said.hidden,
            doubt=True,
        ),
    )
