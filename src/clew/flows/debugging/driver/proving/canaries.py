"""The claim that tests can fail: copies of them that are broken on purpose are red."""

from __future__ import annotations

import secrets
from pathlib import Path

from clew import runners
from clew.analysis.tampering import ENDS, LIES, of_functions, whole_file
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.proving.case import Case, own_file
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.words import events as ev
from clew.words.facts import TestResult, Verdict

__all__ = ["canaries", "canaries_of_command"]

FILES = 100  # of tests that become canaries where a command runs them


def canaries(case: Case, trial: Path, tests: tuple[str, ...]) -> ev.ProofRow:
    claim = "deliberately broken copies of them fail"
    nonce = secrets.token_hex(8)
    made = _place(case, trial, tests, nonce)
    if not made:
        return untested(claim, "no copy could be made")
    run = case.report(trial, runners.Request(only=made)).run
    results = {result.id: result for result in run.results}
    heard = {name: _heard(results.get(name), nonce) for name in made}
    lies = [f"{name}: {why}" for name, why in heard.items() if why not in ("", ENDS)]
    sang = sum(why == ENDS for why in heard.values())
    mute = f"; {len(made) - sang} ended otherwise" if sang < len(made) else ""
    return ev.ProofRow(
        claim=claim,
        measured=shown(lies) or f"{sang} of {len(made)}{mute}",
        holds=not lies,
    )


def _place(case: Case, trial: Path, tests: tuple[str, ...], nonce: str) -> tuple[str, ...]:
    """Put canaries into the checkout; return the tests that are some."""
    made: list[str] = []
    for path, names in case.by_file(tests).items():
        file = own_file(trial, path)
        canary = file and of_functions(
            file.read_text("utf-8-sig", "replace"), set(names.values()), nonce, case.code
        )
        if file and canary:
            file.write_text(canary.text, "utf-8")
            made += [test for test, name in names.items() if name in canary.names]
    return tuple(sorted(made))


def _heard(result: TestResult | None, nonce: str) -> str:
    """Return how a canary ended: at its end, with a lie, or (nothing) otherwise."""
    if result is None:
        return ""
    if not result.outcome.red:
        return f"it is {result.outcome}"
    crash = result.crash
    said = f"{crash.message}\n{crash.details}" if crash else ""
    for word, meaning in LIES.items():
        if f"{nonce} {word}" in said.partition(f"{nonce} {ENDS}")[0]:
            return meaning
    return ENDS if f"{nonce} {ENDS}" in said else ""


def canaries_of_command(case: Case, trial: Path) -> ev.ProofRow:
    """Have a command run with a canary for every test that it loads: it must not be green."""
    claim = "deliberately broken copies of the tests fail"
    nonce, mark = secrets.token_hex(8), f".{secrets.token_hex(8)}"
    paths = [p for p in case.files if p.endswith(".py") and is_test_path(p)]
    # A conftest that fails would be red whatever became of the tests.
    paths = [p for p in paths if not p.endswith(("conftest.py", "__init__.py"))][:FILES]
    for path in paths:
        file = own_file(trial, path)
        if file:
            text = whole_file(file.read_text("utf-8-sig", "replace"), nonce, mark)
            if text:
                file.write_text(text, "utf-8")
    run = case.report(trial, runners.Request()).run if paths else None
    loaded = run and any((trial / path).parent.joinpath(mark).exists() for path in paths)
    if run is None or (run.verdict is Verdict.PASSED and not loaded):
        return untested(claim, "none that the command loads")
    return ev.ProofRow(
        claim=claim,
        measured=f"the command is {'green' if run.verdict is Verdict.PASSED else 'red'} with them",
        holds=run.verdict is not Verdict.PASSED,
    )
