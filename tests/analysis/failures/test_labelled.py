"""Every labelled failure, told from its recorded run: no project is run here."""

from __future__ import annotations

import re

import pytest

from clew.evidence.explain import explain, modules_of, related
from clew.words.facts import Category, Diagnosis
from labelkit import Labelled, half, labelled, recorded

SMALL = tuple(each for each in labelled() if not each.package)
# Contradictions with a package's own documentation are told by its text, which is fetched apart.
NEEDS_TEXT = {
    each.name for each in labelled() if each.package and each.category == "task_spec_error"
}
TOLD = tuple(each for each in labelled() if each.name not in NEEDS_TEXT)


def told(failure: Labelled) -> Diagnosis:
    """Of a package no text is at hand, only what the run says."""
    if failure.name not in KEPT:
        KEPT[failure.name] = _told(failure)
    return KEPT[failure.name]


KEPT: dict[str, Diagnosis] = {}


def _told(failure: Labelled) -> Diagnosis:
    known = recorded()[failure.name]
    changed = {} if failure.package else failure.project | failure.changed()
    sources = related(known.run, known.suspects, known.files, changed.get)
    modules = modules_of(known.files)
    return explain(known.run, known.suspects, None, sources, modules=modules)


def share(right: list[bool]) -> float:
    return sum(right) / len(right)


@pytest.mark.parametrize("part", ["seen", "held out"])
def test_category_and_file_are_told(part: str) -> None:
    """Nine in ten by category, eight in ten by file, in the half that no rule was made for too."""
    group = [each for each in TOLD if half(each) == part]
    assert 0.9 <= share([told(each).category is each.category for each in group])
    assert 0.8 <= share([told(each).path in each.files for each in group])


def test_there_are_enough_of_every_category() -> None:
    """At least eight, of at least eighty in all; each has a name, and a run that failed."""
    counts = {kind: [e for e in labelled() if e.category is kind] for kind in Category}
    assert [] == [kind for kind, each in counts.items() if len(each) < 8]
    assert 80 <= len({each.name for each in labelled()}) == len(labelled())
    assert [] == [name for name, each in recorded().items() if not each.run.red]
    assert recorded().keys() == {each.name for each in labelled()}


# By category, what a diagnosis has to say.
SAYS = {
    Category.TEST_FAILURE: r"expects|asks that|raises `|was stopped when|exits with",
    Category.IMPORT_ERROR: r"no such module|no such file|does not define|though the project has"
    r"|still being loaded|not imported there|does not exist",
    Category.MISSING_DEPENDENCY: r"(?:is|comes with the package `[\w.-]+`, which is) not installed",
    Category.TYPE_ERROR: r"raises `\w+Error",
    Category.SYNTAX_ERROR: r"cannot be parsed|invalid-syntax|checker",
    Category.LINT_FAILURE: r"The first, at \S+",
    Category.TASK_SPEC_ERROR: r"No code (?:gives both|can do)",
}


@pytest.mark.parametrize("kind", SAYS)
def test_a_diagnosis_says_what_its_category_asks_for(kind: Category) -> None:
    """Expected and actual, whether a module exists, which package, which tests contradict."""
    silent = [
        each.name
        for each in TOLD
        if told(each).category is kind and not re.search(SAYS[kind], told(each).root_cause)
    ]
    assert [] == silent


def test_a_schema_mismatch_shows_both_sides() -> None:
    """Two definitions, or a definition and the data, each with its place or its fields."""
    lonely = [
        each.name
        for each in SMALL
        if told(each).category is Category.SCHEMA_MISMATCH
        and len(re.findall(r"(?:reads|has|knows|asks for|is at|gives) ", told(each).root_cause)) < 2
    ]
    assert [] == lonely


def test_a_failed_comparison_names_where_the_two_part() -> None:
    """Numbers by their distance, texts by the place, rows by the item."""
    plain = [told(each) for each in SMALL if each.category is Category.TEST_FAILURE]
    both = [
        found for found in plain if re.search(r"returns `.+` where .+ expects", found.root_cause)
    ]
    assert both
    assert [] == [f.root_cause for f in both if not re.search(r"expects `.+?`: \w", f.root_cause)]
