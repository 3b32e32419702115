"""Two or three ways to mend a failure, each with what speaks for and against it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from clew.analysis.failures import Contradiction, contradictions, expectation, missing_module
from clew.documents.markdown import code as span
from clew.evidence.explain.crashes import callee
from clew.evidence.explain.pointing import off_the_path
from clew.evidence.explain.rivals import apart
from clew.evidence.explain.scene import Scene, code, listed, place, values
from clew.evidence.explain.spots import EditSpot, of_candidate, of_edit
from clew.words.edits import EditMisfit, diff
from clew.words.facts import REVISE, Candidate, Category, Edit, Option, OptionPart, Suspect

__all__ = ["by_hand", "of_candidates", "step", "without_candidates"]

RISKS: Mapping[str, str] = {
    "delete": "it takes code away, which the tests may not miss and its users may",
    "early return": "it treats a special case apart, which may hide the cause",
    "guard": "it treats a special case apart, which may hide the cause",
    "new condition": "it treats a special case apart, which may hide the cause",
    "finished condition": "it treats a special case apart, which may hide the cause",
    "insert": "it adds a statement: check that it belongs there on every path",
    "flag": "it adds a statement: check that it belongs there on every path",
    "case": "it treats one more value: check that no other is missing",
    "loop": "it changes how often code runs: look at empty and long inputs",
    "move": "it changes the order of statements: check what else depends on it",
    "return": "it changes what is returned: look at every caller",
    "exception": "it changes which errors are caught: check that none is swallowed",
    "swallowed": "it lets an error out: check that its callers expect it",
    "pattern": "the new pattern fits these tests: check which other texts it takes",
    "extend condition": "the new condition fits these tests; others may ask for less or more",
    "extend expression": "the new term fits these tests; others may ask for less or more",
    "constant": "the value fits these tests: check where it ought to come from",
    "every constant": "the value fits these tests: check where it ought to come from",
    "two edits": "it joins two changes: each should make sense alone",
    "makeshift": "one of its two changes only mends what the other one breaks",
    "joined": "it joins several changes: each should make sense alone",
    "filter": "it leaves elements out: check that none of them is wanted",
    "decorator": "it changes how the function is called, for every caller",
    "default": "it changes the default for every caller that relies on it",
}
ONE_LINE = {"+": "adds", "-": "removes", "+-": "changes"}  # by what a diff shows
ALONE = "and red none of the tests that the search ran"
PLAIN = frozenset(
    {"comparison", "arithmetic", "boolean", "offset", "sign", "negation", "swap operands"}
    | {"swap arguments", "attribute", "variable", "slice", "constant", "import", "name"}
    | {"named number"}
)


def of_candidates(scene: Scene, candidates: tuple[Candidate, ...]) -> tuple[Option, ...]:
    """Return the best candidate, the best that differs from it, and one way without a patch."""
    best = candidates[0]
    rivals = [c for c in candidates[1:] if c.complete or not best.complete]
    options = [_patch(scene, best, candidates)]
    if rivals:
        other = max(rivals, key=lambda c: (c.path, c.line) != (best.path, best.line))
        options.append(_patch(scene, other, candidates))
    else:
        options += by_hand(scene, skip=best)[:1]
    doubt = _doubt(scene)
    if doubt is not None:
        options.append(doubt)
    if len(options) == 1:
        options.append(_rethink(scene))
    return tuple(options[:3])


def without_candidates(scene: Scene) -> tuple[Option, ...]:
    """Return ways to go on where no patch is known: by the kind of failure, without edits."""
    tell = {
        Category.IMPORT_ERROR: _imports,
        Category.MISSING_DEPENDENCY: _packages,
        Category.SYNTAX_ERROR: _syntax,
        Category.TASK_SPEC_ERROR: _specification,
        Category.SCHEMA_MISMATCH: _schemas,
        Category.LINT_FAILURE: _lint,
        Category.TYPE_ERROR: _calls if callee(scene) else None,
    }.get(scene.category)
    if tell is not None:
        return tell(scene)
    options = by_hand(scene)[:2] or [_trace(scene)]
    doubt = _doubt(scene)
    if doubt is not None:  # it comes first where the test is what changed last
        options.insert(0 if scene.demand else len(options), doubt)
    if len(options) == 1:
        options.append(_rethink(scene))
    return tuple(options)


def by_hand(scene: Scene, skip: Candidate | None = None) -> list[Option]:
    """Return the suspects as places to look at, one a function, strongest first."""
    options = []
    seen = {(skip.path, skip.function)} if skip else set()
    for suspect in scene.suspects:
        key = (suspect.path, suspect.function or str(suspect.line))
        near = skip and suspect.path == skip.path and suspect.line == skip.line
        if key in seen or near:
            continue
        seen.add(key)
        options.append(_look_at(scene, suspect))
    return options


def _patch(scene: Scene, candidate: Candidate, candidates: tuple[Candidate, ...]) -> Option:
    spots = of_candidate(candidate)
    several = len(spots) > 1
    where = listed([place(spot.path, spot.line) for spot in spots])
    inside = f" in {code(candidate.function)}" if candidate.function and not several else ""
    try:
        shown = diff(scene.sources, candidate.edits)
    except EditMisfit:
        shown = ""
    title = candidate.description
    if candidate.parts:
        title = "; ".join(f"{p.description} ({place(p.path, p.line)})" for p in candidate.parts)
    elif several:
        title = f"{title}, at {where}"
    elif code(candidate.function) not in title:
        title += inside
    return Option(
        title=title,
        approach=f"At {where}{inside}: {candidate.description}.",
        pros=tuple(_pros(scene, candidate, shown)),
        cons=tuple(_cons(scene, candidate, candidates)),
        steps=tuple(_at(spot) for edit in candidate.edits for spot in of_edit(edit)),
        edits=candidate.edits,
        diff=shown,
        parts=tuple(
            OptionPart(title=p.description, edits=p.edits) for p in candidate.parts if p.edits
        ),
    )


def _pros(scene: Scene, candidate: Candidate, shown: str) -> list[str]:
    green, red = len(candidate.turns_green), len(candidate.still_red)
    if candidate.complete:
        what = "the red test" if green == 1 else f"all {green} red tests"
        pros = [f"turns {what} green, {ALONE}"]
    else:
        pros = [f"turns {green} of {green + red} red tests green, {ALONE}"]
    if candidate.witness:
        pros.append(f"besides the tests, this speaks for it: {candidate.witness}")
    changed = "".join(sorted(re.findall(r"^(?!\+\+\+|---)([+-])", shown, re.MULTILINE)))
    if changed in ONE_LINE and len(candidate.edits) == 1:
        is_plain = candidate.family in PLAIN and changed == "+-"
        plain = " and keeps the shape of the code" if is_plain else ""
        pros.append(f"{ONE_LINE[changed]} one line{plain}")
    top = scene.suspects[0] if scene.suspects else None
    if top and (top.path, top.line) == (candidate.path, candidate.line) and top.reasons:
        pros.append(f"is at the strongest suspect: {top.reasons[-1]}")
    return pros


def _cons(scene: Scene, candidate: Candidate, candidates: tuple[Candidate, ...]) -> list[str]:
    cons = []
    if candidate.still_red:
        names = listed([code(_bare(name)) for name in candidate.still_red[:3]])
        more = len(candidate.still_red) - 3
        cons.append(f"leaves {names}{f' and {more} more' if more > 0 else ''} red")
    if candidate.family in RISKS:
        cons.append(RISKS[candidate.family])
    if candidate.against:
        cons.append(f"besides the tests, this speaks against it: {candidate.against}")
    cons += _rivals(candidate, candidates)
    if candidate.asked_by == 1 and scene.category is Category.TEST_FAILURE:
        it = "a part of it" if candidate.parts else "it"
        cons.append(f"only one failing test speaks for {it}; other inputs are not tested")
    return cons or ["rests on the tests alone: what they do not ask is not checked"]


def _rivals(candidate: Candidate, candidates: tuple[Candidate, ...]) -> Iterator[str]:
    """Yield what other changes that pass do otherwise, with the input that shows it."""
    rivals = sum(c.complete for c in candidates) - 1
    if not candidate.complete or not rivals:
        return
    example, one = apart(candidate, candidates), rivals == 1
    yield (
        f"{rivals} other {'change passes' if one else 'changes pass'} the same tests and"
        f" {'differs' if one else 'differ'} on other inputs: {example}"
        if example
        else f"{rivals} other {'change passes' if one else 'changes pass'} the same tests, and no"
        " call was found on which they part"
    )


def step(edit: Edit) -> str:
    """Say in a line what an edit changes, place by place; many lines stand in the diff."""
    return " ".join(map(_at, of_edit(edit)))


def _at(spot: EditSpot) -> str:
    where = place(spot.path, spot.line)
    if not spot.before and spot.line is None:
        return f"Create {code(spot.path)} with the text in the diff."
    if not spot.before.strip() and "\n" not in spot.after.strip():
        return f"At {where}, insert {span(spot.after.strip())}."
    if "\n" in spot.before.strip() or "\n" in spot.after.strip():
        return f"At {where}, change the lines as in the diff."
    if not spot.after.strip():
        return f"At {where}, remove {span(spot.before.strip())}."
    return f"At {where}, replace {span(spot.before.strip())} by {span(spot.after.strip())}."


def _look_at(scene: Scene, suspect: Suspect) -> Option:
    where = place(suspect.path, suspect.line)
    inside = f" in {code(suspect.function)}" if suspect.function else ""
    why = "; ".join(suspect.reasons) or "it is the next place in the traceback"
    frame = next(
        (f for f in scene.frames if (f.path, f.line) == (suspect.path, suspect.line)), None
    )
    seen = values(frame) if frame else ""
    steps = [f"Read {where}{inside} and what calls it."]
    if seen:
        steps.append(f"Compare the values there with what you expect: {seen}.")
    else:
        steps.append(f"Run the failing test alone and stop at {where} in a debugger.")
    steps.append("Mend what differs from the intention, not the test.")
    name = code(suspect.function) if suspect.function else code(suspect.path.rpartition("/")[2])
    return Option(
        title=f"fix {name} by hand",
        approach=f"Look at {where}{inside}: {why}.",
        pros=("reaches causes that no small edit can fix", "keeps to where the evidence points"),
        cons=("takes a person or another agent; no patch is known to work here",),
        steps=tuple(steps),
    )


def _doubt(scene: Scene) -> Option | None:
    """Offer to revise the test, where an assertion is at stake."""
    wanted = expectation(scene.crash) if scene.crash else None
    if wanted is None or scene.category is not Category.TEST_FAILURE:
        return None
    frame = scene.test_frame
    where = f" at {place(frame.path, frame.line)}" if frame else ""
    subject = f" of {code(wanted.call)}" if wanted.call else ""
    return Option(
        title=f"{REVISE} {code(scene.test_name)}",
        approach=f"If {code(wanted.actual)} is what is wanted{subject}, the test{where} is wrong.",
        pros=("no code changes", "right if the specification has moved on"),
        cons=(
            "needs a person: which side is right is not in the code",
            "a test bent to the code proves nothing",
        ),
        steps=(
            f"Settle what the specification says{subject}.",
            f"If the test is wrong, correct it{where}; otherwise take another option.",
        ),
    )


def _rethink(scene: Scene) -> Option:
    return Option(
        title="ask another agent, or give a hint",
        approach="Go on with guidance: what the code is meant to do is not in the evidence.",
        pros=("a hint about the intention narrows the search most",),
        cons=("takes time of a person, or tokens of an agent",),
        steps=(f"Say what {code(scene.test_name)} is meant to show, and what changed last.",),
    )


def _trace(scene: Scene) -> Option:
    command = code(shlex.join(scene.run.command.argv))
    named = "no line of the project" + (" but the test's" if scene.test_frame else "")
    return Option(
        title="look at the failure by hand",
        approach=f"Run {command} and follow its output; {named} is named in it.",
        pros=("shows what the evidence here leaves out",),
        cons=("takes a person; there is no place to start from",),
        steps=(f"Run {command}.", "Find the first error in its output; later ones may follow."),
    )


def _imports(scene: Scene) -> tuple[Option, ...]:
    module = (missing_module(scene.crash) if scene.crash else None) or "the module"
    at = f" at {scene.here}" if scene.here else ""
    folder = off_the_path(scene)
    if folder is not None:
        return _installed(module, folder)
    return (
        Option(
            title="correct the import",
            approach=f"Import what exists instead{at}.",
            pros=("smallest change", "nothing new to maintain"),
            cons=("wrong if the thing imported was to be written still",),
            steps=(f"Look for the right name near {code(module)}.", f"Change the import{at}."),
        ),
        Option(
            title=f"write what is missing from {code(module)}",
            approach="Create the module or the name that is imported.",
            pros=("right if the tests describe what is yet to be built",),
            cons=("more code; its behaviour has to be guessed from the tests",),
            steps=(f"Collect how {code(module)} is used.", "Write it, smallest version first."),
        ),
    )


def _installed(module: str, folder: str) -> tuple[Option, ...]:
    """Return what makes a module found that the project has: no edit of the code does."""
    where = f"the folder {code(folder)}" if folder != "." else "the project's folder"
    return (
        Option(
            title="install the project where the tests run",
            approach=f"Install it editable (`pip install -e .`): {code(module)} is then found in"
            f" {where} from anywhere.",
            pros=("the code stays as it is", "the tests import what users import"),
            cons=("needs a person, and an environment that is the project's own",),
            steps=(
                "Run `pip install -e .` with the Python that runs the tests.",
                "Run the tests again.",
            ),
        ),
        Option(
            title=f"put {where} on the import path of the tests",
            approach=f'Set `pythonpath = ["{folder}"]` in pytest\'s settings.',
            pros=("nothing has to be installed", "one line, for everybody"),
            cons=("it changes how the tests run, so a person decides", "pytest 7 or later only"),
            steps=(
                f'Add `pythonpath = ["{folder}"]` to `[tool.pytest.ini_options]`.',
                "Run the tests again.",
            ),
        ),
    )


def _packages(scene: Scene) -> tuple[Option, ...]:
    module = (missing_module(scene.crash) if scene.crash else None) or "the package"
    at = f" at {scene.here}" if scene.here else ""
    return (
        Option(
            title=f"install {code(module.partition('.')[0])} and declare it",
            approach="Install the package where the tests run, and add it to the dependencies.",
            pros=("the code stays as it is", "others get the same environment"),
            cons=("needs a person, and usually the network", "one more dependency to keep up"),
            steps=(
                "Add the package to the project's declared dependencies.",
                "Install them into the environment that runs the tests.",
            ),
        ),
        Option(
            title=f"do without {code(module)}",
            approach=f"Remove the import{at}, or make it optional.",
            pros=("no new dependency",),
            cons=("what the package did has to be done otherwise, or not at all",),
            steps=(f"Look at what is used of it{at}.", "Replace it, or guard the import."),
        ),
    )


def _syntax(scene: Scene) -> tuple[Option, ...]:
    where = place(scene.path, scene.line) if scene.path else "the file"
    return (
        Option(
            title="correct the line by hand",
            approach=f"Mend {where}; the fault may begin on the line before it.",
            pros=("keeps all other work in the file",),
            cons=("no patch is known: what was meant has to be read from the code around",),
            steps=(f"Look at {where} and the line before: brackets, quotes, colons, indents.",),
        ),
        Option(
            title="go back to the last version that parses",
            approach=f"Take {scene.path or 'the file'} from version control and redo the change.",
            pros=("certain to parse",),
            cons=("loses what was changed since",),
            steps=("Compare the file with its last committed version.", "Redo what is wanted."),
        ),
    )


def _calls(scene: Scene) -> tuple[Option, ...]:
    called = callee(scene)
    name = code(called.name) if called else "the function"
    at = f" at {scene.here}" if scene.here else ""
    where = f" at {place(called.path, called.line)}" if called else ""
    return (
        Option(
            title=f"make {name} take what it is given",
            approach=f"Change the definition{where} so that the call{at} fits.",
            pros=("right if the tests describe what the function ought to take",),
            cons=("every other caller has to fit the new definition",),
            steps=(f"Compare the call{at} with the definition{where}.", "Change the definition."),
        ),
        Option(
            title=f"correct the call of {name}",
            approach=f"Change the call{at} so that it fits the definition{where}.",
            pros=("smallest change", "no other caller is affected"),
            cons=("needs a person if the call is in a test",),
            steps=(f"Look at what {name} takes{where}.", f"Change the call{at}."),
        ),
    )


def _specification(scene: Scene) -> tuple[Option, ...]:
    pairs = contradictions(scene.run, scene.sources)
    pair = (
        pairs[0]
        if pairs
        else Contradiction(
            call="the call", first="a test", first_expects="", second="another", second_expects=""
        )
    )
    return tuple(
        Option(
            title=f"keep {code(_bare(keep))}, revise {code(_bare(drop))}",
            approach=f"Settle that {code(pair.call)} is {code(answer)}.",
            pros=("the contradiction is gone, and the code can be fixed for one answer",),
            cons=(f"what {code(_bare(drop))} meant is lost, or needs another call",),
            steps=("Ask the specification, or its author.", f"Correct {code(drop)}."),
        )
        for keep, drop, answer in (
            (pair.first, pair.second, pair.first_expects),
            (pair.second, pair.first, pair.second_expects),
        )
    )


def _schemas(scene: Scene) -> tuple[Option, ...]:
    at = f" at {scene.here}" if scene.here else ""
    return (
        Option(
            title="bring the data in line with the schema",
            approach=f"Change what is built or sent{at}.",
            pros=("others that rely on the schema are not touched",),
            cons=("wrong if the schema is what was forgotten",),
            steps=("Compare both definitions field by field.", f"Change the data{at}."),
        ),
        Option(
            title="bring the schema in line with the data",
            approach="Change the definition, and migrate what is stored.",
            pros=("right if the data shows what is wanted",),
            cons=("every user of the schema is affected; stored data may need a migration",),
            steps=("Change the definition.", "Write the migration.", "Look at every user."),
        ),
    )


def _lint(scene: Scene) -> tuple[Option, ...]:
    command = code(shlex.join(scene.run.command.argv))
    return (
        Option(
            title="fix what the checker names",
            approach=f"Go through the findings of {command} one by one.",
            pros=("the rules stay as strict as they are",),
            cons=("a finding may point at a real change of behaviour: read before you fix",),
            steps=(f"Run {command}.", "Fix each finding where it is."),
        ),
        Option(
            title="revise the rule",
            approach="If a rule does not fit the project, change the checker's settings.",
            pros=("ends findings that help nobody",),
            cons=("needs a person: it loosens the rule for all code",),
            steps=("Settle which rule is in doubt, and why.", "Change it in the settings."),
        ),
    )


def _bare(name: str) -> str:
    return re.split(r"::|\.(?=test)", name)[-1]
