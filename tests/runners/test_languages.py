"""Runners of other languages, for real: what each test did, alone and together."""

from __future__ import annotations

import pytest

from clew.runners import Request, detect, run
from clew.words.facts import Phase, Runner, TestRun, Verdict
from languages import LANGUAGES, Language, write_project
from projectplay import Play, outcomes

HEARD = sorted(set(LANGUAGES) - {"script"})


def ran(play: Play, language: Language, request: Request | None = None) -> TestRun:
    command = detect(
        play.root,
        play.root,
        flag=None,
        settings=None,
        junit=next(iter(language.options[1:]), None),
        root=play.root,
        scratch=play.scratch,
    )
    return run(play.site(command), command, request or Request(), play.scratch).run


@pytest.fixture
def language(request: pytest.FixtureRequest, play: Play) -> Language:
    found = LANGUAGES[request.param]
    write_project(play.root, found)
    return found


def write(play: Play, name: str, text: str) -> None:
    """Change a file in the person's tree and in the worktree."""
    for root in (play.root, play.worktree):
        if root.exists():
            (root / name).write_text(text)


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("language", HEARD, indirect=True)
def test_each_test_is_heard(play: Play, language: Language) -> None:
    """Which runner it is follows from the project; red and green tests have names and places."""
    seen = ran(play, language)

    assert (Runner(language.runner), Verdict.FAILED) == (seen.command.runner, seen.verdict)
    assert (language.command, language.source) == (
        " ".join(seen.command.argv),
        seen.command.source,
    )
    assert [language.red] == [result.id for result in seen.red]
    assert language.green in seen.passed
    crash = seen.red[0].crash
    assert crash is not None
    own = [(frame.path, frame.line) for frame in crash.frames if frame.project]
    assert (language.path, language.line) == own[-1]
    assert crash.message


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("language", HEARD, indirect=True)
def test_single_tests_are_run_again(play: Play, language: Language) -> None:
    """One alone has no other's word; and a build before a change is not taken for one after it."""
    green = ran(play, language, Request(only=(language.green,)))
    source = (play.root / language.path).read_text()
    write(play, language.path, source.replace(language.current, language.should_be))
    after = ran(play, language, Request(only=(language.red,)))

    assert (Verdict.PASSED, {language.green: "passed"}) == (green.verdict, outcomes(green))
    assert (Verdict.PASSED, {language.red: "passed"}) == (after.verdict, outcomes(after))


BROKEN = {
    "go": ("cart/cart.go", "package cart\n\nfunc Last(items []int) int { return x }\n"),
    "cargo": ("src/cart.rs", "pub fn last(items: &[i32]) -> i32 {\n    items.none()\n}\n"),
    "node": ("src/cart.js", "export function last(items) {\n  return (;\n}\n"),
    "jest": ("src/cart.js", "function last(items) {\n  return (;\n}\n"),
}


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("language", sorted(BROKEN), indirect=True)
def test_code_that_does_not_compile_is_a_failure(play: Play, language: Language) -> None:
    """What cannot be loaded is named by file and line, and the code is at fault."""
    path, text = BROKEN[language.runner]
    write(play, path, text)

    seen = ran(play, language)

    assert (Verdict.FAILED, False) == (seen.verdict, seen.infrastructure), seen.output
    (result,) = seen.red
    assert Phase.COLLECT is result.phase
    assert language.red.startswith(result.id) or result.id == "shop"
    assert result.crash is not None
    own = [(frame.path, frame.line) for frame in result.crash.frames if frame.project]
    assert path == own[-1][0]


TORN = {
    "go": ("cart/cart_test.go", "package cart\n\nfunc TestLast(t *testing.T {\n"),
    "cargo": ("tests/cart.rs", "#[test]\nfn last_of_two( {\n"),
    "node": ("test/cart.test.js", "test('doubles', () => {\n"),
    "jest": ("test/cart.test.js", "test('doubles', () => {\n"),
}


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("language", sorted(TORN), indirect=True)
def test_tests_that_do_not_parse_say_nothing_of_the_code(play: Play, language: Language) -> None:
    """A broken file of tests is no fault of the code: the run is infrastructure."""
    path, text = TORN[language.runner]
    write(play, path, text)

    seen = ran(play, language)

    assert (Verdict.DID_NOT_RUN, True) == (seen.verdict, seen.infrastructure), seen.output
    assert "does not load" in seen.reason


EMPTY = {"go": "cart/cart_test.go", "node": "test/cart.test.js", "jest": "test/cart.test.js"}


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("language", sorted(EMPTY), indirect=True)
def test_no_test_is_not_green(play: Play, language: Language) -> None:
    """A run that collected nothing did not run."""
    (play.root / EMPTY[language.runner]).unlink()

    seen = ran(play, language)

    assert (Verdict.DID_NOT_RUN, True) == (seen.verdict, seen.infrastructure), seen.output
