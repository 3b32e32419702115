from __future__ import annotations

import pytest

from clew.runners import Words, parted
from clew.words.facts import Runner

PATHS = frozenset({"tests", "tests/test_x.py", "pkg"})


def is_path(word: str) -> bool:
    return word.partition("::")[0] in PATHS


@pytest.mark.parametrize(
    ("runner", "kept", "choosing"),
    [
        ("pytest", "", "-k total"),
        ("pytest", "", "-ktotal"),
        ("pytest", "", "-k=total"),
        ("pytest", "", "-m slow"),
        ("pytest", "", "-vxk total"),
        ("pytest", "", "tests/test_x.py::test_one"),
        ("pytest", "", "tests"),
        ("pytest", "--pyargs", "pkg.tests"),
        ("pytest", "-x", "pkg.tests --lf"),
        ("pytest", "-vvs --ff", "pkg.tests --sw"),
        ("pytest", "-q --strict-markers --lfnf none", "--last-failed gone.py"),
        ("pytest", "-x", "tests/test_x.py"),
        ("pytest", "--strict-markers", "tests/test_x.py"),
        ("pytest", "-p plugin", "-k total"),
        ("pytest", "-pplugin -vv -o a=b", ""),
        ("pytest", "--deselect tests/test_x.py::test_one --ignore=tests/old", ""),
        ("pytest", "--env-file settings", ""),
        ("pytest", "--env-file=settings --cov pkg", "tests"),
        ("pytest", "-n 2 --maxfail 1", "gone.py"),
        ("unittest", "-v", "tests.test_a.TestB -k total"),
        ("unittest", "discover -s tests unit", "-k total"),
        ("go", "-race -count 1 -tags slow", "-run TestOne ./pkg"),
        ("go", "-skip TestTwo -timeout=3s", "-run=TestOne example.com/pkg"),
        ("cargo", "--release -- --skip slow --test-threads 1", "total --lib -p shop"),
        ("jest", "--config other.js --verbose", "-t total price"),
        ("vitest", "--silent", "price.test.js"),
        ("node", "--test-concurrency 1", "--test-name-pattern=total a.test.js"),
        ("pytest", "", ""),
    ],
)
def test_words_that_choose_among_tests_are_told_from_those_that_any_run_needs(
    runner: str, kept: str, choosing: str
) -> None:
    """Whatever their order; what leaves tests out by name was said on purpose, and stays."""
    before, after = kept.split(), choosing.split()
    words = Words(kept=tuple(before), choosing=tuple(after))
    assert words == parted(Runner(runner), [*before, *after], is_path)
    if not {"discover", "--"} & {*before}:
        assert words == parted(Runner(runner), [*after, *before], is_path)


@pytest.mark.parametrize("runner", ["command", "junit"])
def test_words_for_other_commands_are_not_parted(runner: str) -> None:
    """Nobody knows what they mean."""
    words = Words(kept=("unit", "-k", "total"), known=False)
    assert words == parted(Runner(runner), ["unit", "-k", "total"], is_path)
    assert Words() == parted(Runner(runner), [], is_path)
