"""Kinds of change that are a guess, by themselves, beside others, or while others stay red."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clew.analysis.testfiles import is_test_path
from clew.evidence.explain.documented import speaks_against
from clew.evidence.explain.fitted import other_divisor, other_rounding
from clew.evidence.explain.rivals import as_good
from clew.evidence.explain.scene import Scene, code
from clew.evidence.explain.sources import functions
from clew.evidence.explain.unchanged import stood
from clew.words.edits import EditMisfit, apply
from clew.words.facts import Candidate, Reach
from clew.words.python_source import parsed

__all__ = [
    "BY_CHANCE",
    "HISTORY",
    "MUCH",
    "PLAIN",
    "as_likely",
    "guessed",
    "one_of_two",
    "taken_back",
    "turns",
]

# Kinds of change that often fit a few tests and do not mend the cause.
BY_CHANCE = frozenset(
    [
        *("case", "comes around", "delete", "early return", "expression", "extend condition"),
        *("extend expression", "filter", "finished condition", "flag", "guard", "insert", "loop"),
        *("makeshift", "move", "new condition", "older code", "one way", "return", "two edits"),
        *("variable wrapped", "wrap"),
    ]
)
MAKESHIFT = "makeshift"  # two changes, one of which is odd and makes do with the other
ONE_WAY = "one way"  # the tests take a condition one way with it, and took both before
HISTORY = "history"  # what an older commit had, and stood its tests
PAIR = "two edits"  # the second of which was looked for behind the first
OLDER = "older code"  # what is put back has not what came since
AROUND = "way around"  # what is put back calls a function no more that others call
PAST = (
    "What is put back goes around a function that others still call: the fault may lie there, and"
    " stays for them."
)
SINCE = (
    "Older code that is put back has not what came since, and no change was found that keeps it:"
    " see whether anybody wants what the change takes away."
)
MADE_UP = (
    "Two changes pass only together: one of them breaks a test and the other mends that, and one"
    " of them is odd by itself. Only one failing test speaks for them."
)
ONE_OF_MANY = (
    "It takes two changes, neither is plain, and few tests ask for them: of so many pairs one may"
    " fit by chance."
)
DECIDES_NOTHING = (
    "The tests took the condition both ways, and with the change they all take it the same way:"
    " it may only go around what is wrong."
)
KEEPS_MORE = (
    "Another change passes as well and keeps more of what came since the code that is put back: the"
    " tests do not say whether somebody wants that."
)
BETWEEN = ", of all sizes between those of the tests: "  # in what speaks against a change
AND_NOW = "today's code and the code before "  # the same, at its beginning
AS_LIKELY = "Another change is as likely as this one, and the tests do not say which is right."
BREAKS = (
    "The change breaks a call that gives the same today as before the commit that broke the tests,"
    " and no better change was found."
)
RAISES = (
    "With the change a call raises an error that gave a value, though the tests give smaller and"
    " larger ones, and no better change was found."
)
GUESSES = {OLDER: SINCE, AROUND: PAST, ONE_WAY: DECIDES_NOTHING}
# The score from which a change is plain, natural and at a suspicious line. What fitted one test by
# chance, in small projects by strangers, had 1.09 to 1.17.
PLAIN = 1.2
# Of seven pairs on the development sets two were wrong, with scores of 1.08 and 1.13, and five and
# three tests that ask for them. Of the others four had nine tests or more, and one 1.18.
PLAIN_PAIR, ASKED_OFTEN = 1.15, 6
LIKELIER = 0.01  # of a score: by how much one change is at least, if it is likelier than another
MUCH = 3  # words of today's code that go with what is put back: perhaps somebody wants them
ADDED = re.compile(r"([\w.]+)\s*[-+*|]=\s")
TURNED = frozenset(
    [
        *(("<", ">"), (">", "<"), ("<=", ">="), (">=", "<="), ("<", ">="), (">=", "<")),
        *((">", "<="), ("<=", ">"), ("==", "!="), ("!=", "=="), ("is", "is not")),
        *(("is not", "is"), ("in", "not in"), ("not in", "in")),
    ]
)
REPLACED = re.compile(r"replace `([^`]+)` by `([^`]+)`")
NEGATED = ("negate `", "drop `not`")


def guessed(scene: Scene, candidates: tuple[Candidate, ...]) -> str:
    """Say why the best change is a guess, where it is one; empty otherwise."""
    best, *_ = candidates
    return (
        _by_its_kind(best)
        or _forgotten(best, scene.sources)
        or speaks_against(best, scene.sources)
        or other_divisor(best, scene.sources)
        or other_rounding(candidates)
        or stood(scene, candidates)
        or _lost_sum(candidates)
        or _turned_around(best, scene)
        or _undoes_more(candidates)
    )


def as_likely(candidates: tuple[Candidate, ...]) -> bool:
    """Tell whether another change that behaves otherwise is as plain, so that neither speaks."""
    best, *_ = candidates
    return any(
        each.parting
        and not each.against
        and (each.family not in BY_CHANCE or best.family in BY_CHANCE)
        and abs(each.score - best.score) < LIKELIER  # another order has reasons of its own
        for each in as_good(candidates)
    )


def one_of_two(candidates: tuple[Candidate, ...]) -> str:
    """Say that another change is as likely, where nothing but the tests speaks for this one."""
    best, *_ = candidates
    open_ = best.complete and not best.parts and best.family != HISTORY and not best.witness
    return AS_LIKELY if open_ and as_likely(candidates) else ""


def _by_its_kind(best: Candidate) -> str:
    """Say why a change is a guess, where its kind is one; empty otherwise."""
    if best.family in GUESSES:
        return GUESSES[best.family]
    if BETWEEN in best.against:
        return RAISES
    if best.family == PAIR and best.asked_by < ASKED_OFTEN and best.score < PLAIN_PAIR:
        return ONE_OF_MANY
    if best.against.startswith(AND_NOW):
        return BREAKS
    return MADE_UP if best.family == MAKESHIFT and best.asked_by == 1 else ""


def _forgotten(best: Candidate, sources: Mapping[str, str]) -> str:
    """Say that what is put back does not read a value any more that came since.

    Or that any change has a function read a parameter no more.
    """
    paths = {edit.path for edit in best.edits}
    before = {path: sources[path] for path in paths if path in sources}
    try:
        after = before | apply(before, best.edits) if before else {}
    except EditMisfit:
        return ""
    for path, text in before.items():
        lost = _unread_parameters(after[path]) - _unread_parameters(text)
        for name, function in sorted(lost & _parameters(text)):
            return f"With the change nothing reads {code(name)} of {code(function)} any more."
        if best.family != HISTORY:
            continue
        if names := sorted(_unread(after[path]) & _variables(text) - _unread(text)):
            return (
                f"With what is put back nothing reads {code(names[0])} any more, which came since:"
                " see whether anybody wants what it is for."
            )
    return ""


def _parameters(text: str) -> set[tuple[str, str]]:
    """Return the parameters of a file's functions, each with the name of its function."""
    return {
        (each.arg, name)
        for name, function in functions(text).items()
        for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if each.arg not in ("self", "cls") and not each.arg.startswith("_")
    }


def _unread_parameters(text: str) -> set[tuple[str, str]]:
    read = {
        (node.id, name)
        for name, function in functions(text).items()
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
    }
    return _parameters(text) - read


def _unread(text: str) -> set[str]:
    """Return the variables of a file's functions that are set, and read nowhere in them.

    And the private attributes that nothing in the file reads.
    """
    found = _attributes(text, ast.Store) - _attributes(text, ast.Load)
    for names in _names(text):
        read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        found |= {name.id for name in names if isinstance(name.ctx, ast.Store)} - read
    return found


def _variables(text: str) -> set[str]:
    """Return the variables of a file's functions, those left out that are not meant to be read."""
    found = {name.id for names in _names(text) for name in names if isinstance(name.ctx, ast.Store)}
    return {name for name in found if not name.startswith("_")} | _attributes(text, ast.Store)


def _attributes(text: str, context: type[ast.expr_context]) -> set[str]:
    """Return the private attributes of its own objects that a file sets, or reads."""
    return {
        f"self.{node.attr}"
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, context)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and node.attr.startswith("_")
    }


def _names(text: str) -> Iterator[list[ast.Name]]:
    """Yield the names that each function of a file sets and reads."""
    for function in ast.walk(parsed(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield [node for node in ast.walk(function) if isinstance(node, ast.Name)]


def _lost_sum(candidates: tuple[Candidate, ...]) -> str:
    """Say that a change gives up what is added up, where another one only begins it anew."""
    best, *_ = candidates
    found = (ADDED.search(edit.current) for edit in best.edits)
    names = [each[1] for each in found if each and best.description.startswith("assign instead of")]
    for name in names:
        begins = re.compile(rf"(?<![\w.]){re.escape(name)} = ")
        for rival in as_good(candidates):
            if any(
                begins.search(e.should_be) and not begins.search(e.current) for e in rival.edits
            ):
                return (
                    f"With the change nothing is added to {code(name)} any more, and with another"
                    " one it only begins anew: no test was seen that adds to it twice in a row."
                )
    return ""


def _turned_around(best: Candidate, scene: Scene) -> str:
    """Say that a condition is turned round for one test, and another stays red in the same code."""
    one, *more = best.turns_green or ("",)
    if best.complete or best.parts or more or not turns(best):
        return ""
    left = next((test for test in best.still_red if _run_the_same(one, test, scene.reach)), "")
    if not left:
        return ""
    return (
        "The change turns a condition round for one failing test, and code that this test runs is"
        f" run by {code(left)} as well, which stays red: the fault of both may lie there."
    )


def turns(change: Candidate) -> bool:
    """Tell a change that turns a condition round."""
    pair = REPLACED.fullmatch(change.description)
    return change.description.startswith(NEGATED) or bool(pair and pair.groups() in TURNED)


def _run_the_same(one: str, other: str, reach: Sequence[Reach]) -> bool:
    """Tell whether two tests run lines of one file together, tests left out."""
    for each in reach:
        if one in each.tests and other in each.tests and not is_test_path(each.path):
            both = {each.tests.index(one), each.tests.index(other)}
            if any(both <= {*tests} for _, tests in each.groups):
                return True
    return False


def _undoes_more(candidates: tuple[Candidate, ...]) -> str:
    """Say that a put-back changes more than it must, where what changes less acts otherwise.

    That is one that puts less back, or a plain change of today's code.
    """
    best, *_ = candidates
    if best.family != HISTORY:
        return ""
    changed, taken = _changed(best), taken_back(best)
    less = any(
        rival.parting is not None
        and not rival.against
        and (rival.family == HISTORY or _is_plain(rival))
        and (_changed(rival) < changed or taken_back(rival) + MUCH <= taken)
        for rival in as_good(candidates)
    )
    return KEEPS_MORE if less else ""


def taken_back(candidate: Candidate) -> int:
    """Count the words of today's code that a change takes away."""
    was, becomes = _words(candidate)
    return (was - becomes).total()


def _changed(candidate: Candidate) -> Counter[str]:
    """Return the words of today's code that a change takes away or brings, and how many."""
    was, becomes = _words(candidate)
    return (was - becomes) + (becomes - was)


def _words(candidate: Candidate) -> tuple[Counter[str], Counter[str]]:
    """Return the words of the code that a change replaces, and of what it puts there."""
    edits = candidate.edits
    was = Counter(name for edit in edits for name in re.findall(r"\w+", edit.current))
    return was, Counter(name for edit in edits for name in re.findall(r"\w+", edit.should_be))


def _is_plain(candidate: Candidate) -> bool:
    return candidate.family not in BY_CHANCE and candidate.score >= PLAIN
