"""Our own form: Markdown in which each phase begins with a heading and a block of YAML.

    ---
    complexity: medium
    test_command: pytest -q
    ---

    # A word counter

    What all of it is for.

    ## Phase 1: Split text into words

    ```yaml
    agent: coder
    creates: [src/words/tokens.py]
    ```

    What this phase is to do, in as many words as it takes.

    ### Done when

    - [ ] punctuation belongs to no word (test: tests/test_tokens.py)

Every field may stand in the YAML as well, by its name in `clew.words.plans`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from clew.documents.plans.building import RawPhase, RawPlan
from clew.documents.plans.fields import wrong_value
from clew.documents.plans.lines import Line, criterion, joined, phase_in
from clew.documents.plans.located import Located, from_yaml
from clew.words.plans import PlanFinding

__all__ = ["DONE_WHEN", "FORMAT", "blocks", "is_own", "read"]

FORMAT = 1
DONE_WHEN = "Done when"
PHASES, TITLE = 2, 1  # levels of headings
FENCE = re.compile(r"(`{3,}|~{3,})ya?ml[ \t]*")
BOX = re.compile(r"[-*+] \[[ xX]\][ \t]+(.*)")


def is_own(front: Located, lines: Sequence[Line]) -> bool:
    """Whether a document says that it is of this form, or a phase in it begins with YAML."""
    if isinstance(front.value, dict) and "plan" in front.value:
        return True
    return any(_yaml(block[1:])[0] is not None for block in blocks(lines)[1:])


def read(path: str, front: Located, lines: Sequence[Line]) -> RawPlan:
    """Read a plan of our own form. Raises Misread for YAML that is none."""
    findings: list[PlanFinding] = []
    above, *parts = blocks(lines)
    fields: dict[str, Located] = dict(front.value) if isinstance(front.value, dict) else {}
    version = fields.pop("plan", Located(FORMAT, 1))
    if version.value != FORMAT:
        message = f"the plan is of form {version.value!r}, but this Clew reads {FORMAT}"
        findings.append(wrong_value(path, version.line, "plan", message))
    title = next((line for line in above if line.heading[0] == TITLE), None)
    if title is not None:
        above = above[above.index(title) + 1 :]
        fields.setdefault("title", Located(title.heading[1], title.number))
    phases, notes = list[RawPhase](), list[str]()
    for part in parts:
        if phase_in(part[0].heading[1]) is None:
            notes.append(joined(part))
            continue
        where = f"phases[{len(phases)}]"
        phases.append(RawPhase(path=path, fields=_phase(path, where, part, findings)))
    _add(fields, "goal", above)
    if notes:
        fields.setdefault("notes", Located("\n\n".join(notes), parts[0][0].number))
    return RawPlan(
        path=path,
        fields=Located(fields, front.line),
        phases=tuple(phases),
        findings=tuple(findings),
    )


def blocks(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """Cut a document at its headings of phases, and at those of the same level after the first."""
    starts = [n for n, line in enumerate(lines) if line.heading[0] == PHASES]
    first = next((n for n in starts if phase_in(lines[n].heading[1])), len(lines))
    cuts = [0, *(n for n in starts if n >= first), len(lines)]
    return [lines[one:after] for one, after in pairwise(cuts)]


def _phase(path: str, where: str, part: Sequence[Line], findings: list[PlanFinding]) -> Located:
    heading = part[0]
    block, prose = _yaml(part[1:])
    read = from_yaml("\n".join(line.text for line in block), block[0].number) if block else None
    if read is not None and not isinstance(read.value, dict | None):
        return Located(read.value, read.line)  # what else it is, is told where fields are built
    fields: dict[str, Located] = dict(read.value) if read and isinstance(read.value, dict) else {}
    id_, name = phase_in(heading.heading[1]) or (None, "")
    if id_ is not None:
        said = fields.setdefault("id", Located(id_, heading.number))
        if isinstance(said.value, int | str) and said.value != id_:
            message = f"the heading says phase {id_!r}, and its YAML {said.value!r}"
            findings.append(wrong_value(path, said.line, f"{where}.id", message))
    if name:
        fields.setdefault("name", Located(name, heading.number))
    prose, criteria = _criteria(path, where, prose, findings)
    _add(fields, "description", prose)
    if criteria:
        fields.setdefault("criteria", Located(criteria, criteria[0].line))
    return Located(fields, heading.number)


def _yaml(lines: Sequence[Line]) -> tuple[Sequence[Line] | None, Sequence[Line]]:
    """Return the block of YAML that a phase begins with, and what follows it."""
    begins = next((n for n, line in enumerate(lines) if line.text.strip()), len(lines))
    opening = FENCE.fullmatch(lines[begins].text) if begins < len(lines) else None
    if opening is None:
        return None, lines
    closes = re.compile(rf"{opening[1]}{opening[1][0]}*[ \t]*")
    inside = list(takewhile(lambda line: not closes.fullmatch(line.text), lines[begins + 1 :]))
    return inside, lines[begins + len(inside) + 2 :]


def _criteria(
    path: str, where: str, lines: Sequence[Line], findings: list[PlanFinding]
) -> tuple[list[Line], list[Located]]:
    """Return the prose of a phase without its criteria, and the criteria."""
    prose: list[Line] = []
    items: list[tuple[int, list[str]]] = []
    inside = False
    for line in lines:
        level, title = line.heading
        if level:
            inside = title.casefold().rstrip(":") == DONE_WHEN.casefold()
        if not inside:
            prose.append(line)
        elif box := BOX.fullmatch(line.text):
            items.append((line.number, [box[1]]))
        elif line.text.startswith(" ") and items and line.text.strip():
            items[-1][1].append(line.text)
        elif line.text.strip() and not level:
            message = f"a criterion is written `- [ ] words (test)`, not {line.text.strip()[:60]!r}"
            findings.append(wrong_value(path, line.number, f"{where}.criteria", message))
    return prose, [criterion(number, " ".join(words)) for number, words in items]


def _add(fields: dict[str, Located], name: str, lines: Sequence[Line]) -> None:
    """Put prose behind what the field has already."""
    text = joined(lines)
    if not text.strip():
        return
    before = fields.get(name)
    if before is None or before.value is None:
        begins = next(line.number for line in lines if line.text.strip())
        fields[name] = Located(text, begins)
    elif isinstance(before.value, str):
        fields[name] = Located(f"{before.value}\n\n{text}", before.line)
