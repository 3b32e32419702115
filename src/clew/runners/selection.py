"""Which of the words after -- choose among the tests, and which any run needs. Pure.

Words that choose narrow a goal; a proof asks the whole suite without them. What leaves tests out by
name (`--deselect`, `--ignore`, `-skip`) was said on purpose, and stays. Words for a runner that is
not in the table are not parted: nobody here knows what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from clew.words.facts import Runner

__all__ = ["Words", "parted"]


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """The words after --, parted: without `choosing` all tests run."""

    kept: tuple[str, ...] = ()
    choosing: tuple[str, ...] = ()
    known: bool = True  # False: of a runner whose words are not known, all of them are kept


class _Grammar(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a runner, as far as they matter here."""

    choosing: frozenset[str]  # options that choose, and take a value
    switches: frozenset[str] = frozenset()  # options that choose, and take none
    values: frozenset[str] = frozenset()  # other options that take a value
    bare: frozenset[str] = frozenset()  # other options that take none
    letters: str = ""  # the short ones of these that may stand in one word
    cluster: re.Pattern[str] | None = (
        None  # short options in one word, the last of which has a value
    )
    modes: frozenset[str] = frozenset()  # words after which plain ones do not choose
    named: re.Pattern[str] = re.compile(r".+::.*", re.DOTALL)  # what can be nobody's value


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PYTEST = _Grammar(
    choosing=_set("-k -m"),
    # What is run by these depends on how earlier runs ended.
    switches=_set(
        "--lf --last-failed --sw --stepwise --sw-skip --stepwise-skip --sw-reset --stepwise-reset"
    ),
    values=_set(
        "-p -c -o -r -W -n --basetemp --capture --code-highlight --color --confcutdir --config-file"
        " --cov --cov-config --cov-report --deselect --dist --doctest-glob --durations --ignore"
        " --ignore-glob --import-mode --junit-prefix --junit-xml --junitxml --log-cli-level"
        " --lfnf --last-failed-no-failures --log-file --log-level --maxfail --override-ini"
        " --pythonwarnings --reruns --rootdir --tb --timeout --verbosity"
    ),
    bare=_set(
        "--pyargs --exitfirst --ff --failed-first --nf --new-first --verbose --quiet --showlocals"
        " --no-showlocals --no-header --no-summary --no-cov --cache-clear --disable-warnings"
        " --disable-pytest-warnings --full-trace --strict --strict-config --strict-markers"
        " --noconftest --runxfail --doctest-modules --keep-duplicates --setup-show --trace-config"
        " --continue-on-collection-errors --collect-in-virtualenv --disable-plugin-autoload"
    ),
    letters="vqxsl",
    cluster=re.compile(r"-[vqxsl]*([kmpcorWn])(.*)", re.DOTALL),
)
_UNITTEST = _Grammar(
    choosing=_set("-k"),
    values=_set("-s -p -t --start-directory --pattern --top-level-directory --durations"),
    bare=_set("-v -q -f -c -b --verbose --quiet --failfast --catch --buffer --locals"),
    modes=_set("discover"),
)
_GO = _Grammar(
    choosing=_set("-run --run -test.run"),
    values=_set("-C -coverprofile -cpuprofile -memprofile -exec -modfile -o -outputdir -overlay"),
    bare=_set(
        "-v -race -short -failfast -cover -a -x -n -work -trimpath -benchmem -fullpath -json"
    ),
    modes=_set("-args"),
    named=re.compile(r"\..*|.*/.*", re.DOTALL),
)
_CARGO = _Grammar(
    choosing=_set("--test --bin --example --bench -p --package"),
    switches=_set("--lib --bins --tests --examples --benches --doc --ignored --include-ignored"),
    values=_set(
        "-F --features -j --jobs --profile --target --target-dir --manifest-path --color --config"
        " -Z --exclude --skip --test-threads --message-format"
    ),
    bare=_set(
        "-v -q -r --verbose --quiet --release --workspace --all --no-default-features"
        " --all-features --locked --offline --frozen --no-fail-fast --exact"
        " --nocapture --no-capture --show-output --"
    ),
)
_JEST = _Grammar(
    choosing=_set(
        "-t --testNamePattern --testPathPattern --testPathPatterns --changedSince --shard --changed"
        " --project --selectProjects"
    ),
    switches=_set("-o --onlyChanged --onlyFailures --runTestsByPath --findRelatedTests"),
    values=_set(
        "-c --config -w --maxWorkers --testTimeout --testPathIgnorePatterns --exclude --root"
        " --rootDir --env --environment --pool --reporter --reporters --seed"
    ),
    bare=_set("-i -u --run --runInBand --verbose --silent --coverage --ci --no-cache --bail"),
)
_NODE = _Grammar(
    choosing=_set("--test-name-pattern"),
    switches=_set("--test-only"),
    values=_set("-r --require --import --loader --test-concurrency --test-skip-pattern"),
)
_GRAMMARS: dict[Runner, _Grammar] = {
    Runner.PYTEST: _PYTEST,
    Runner.UNITTEST: _UNITTEST,
    Runner.GO: _GO,
    Runner.CARGO: _CARGO,
    Runner.JEST: _JEST,
    Runner.VITEST: _JEST,
    Runner.NODE: _NODE,
}


def parted(runner: Runner, words: Sequence[str], is_path: Callable[[str], bool]) -> Words:
    """Part the words after -- into those that choose among the tests, and all others.

    A plain word chooses, unless it is the value of the option before it. What follows an option
    that is not in the table is its value, unless it names a test or `is_path`.
    """
    grammar = _GRAMMARS.get(runner)
    if grammar is None:
        return Words(kept=tuple(words), known=not words)
    kept: list[str] = []
    choosing: list[str] = []
    before, rest, fixed = "", list(words), False
    while rest:
        word = rest.pop(0)
        fixed |= word in grammar.modes
        if not word.startswith("-"):
            owned = before and not (grammar.named.fullmatch(word) or is_path(word))
            (kept if fixed or owned else choosing).append(word)
            before = ""
            continue
        chooses, takes = _read(grammar, word)
        into = choosing if chooses else kept
        into += [word, *rest[:takes]]
        del rest[:takes]
        settled = takes or "=" in word or _stands_alone(grammar, word)
        before = "" if settled else word
    return Words(kept=tuple(kept), choosing=tuple(choosing))


def _stands_alone(grammar: _Grammar, word: str) -> bool:
    """Tell whether an option is known to take no value."""
    known = grammar.bare | grammar.switches
    return word in known or set(word[1:]) <= set(grammar.letters)


def _read(grammar: _Grammar, word: str) -> tuple[bool, bool]:
    """Tell whether an option chooses, and whether the next word is its value."""
    name, sign, _ = word.partition("=")
    if name in grammar.choosing or name in grammar.values:
        return name in grammar.choosing, not sign
    if name in grammar.switches:
        return True, False
    found = grammar.cluster.fullmatch(word) if grammar.cluster else None
    if found and not word.startswith("--"):
        return f"-{found[1]}" in grammar.choosing, not found[2]
    return False, False
