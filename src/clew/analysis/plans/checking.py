"""What is wrong with a plan before anybody works by it: one rule a function, each pure.

Findings name the phases, the files and the way round a cycle; `clew.words.plans.Plan.place` knows
the lines. A rule that needs an order has none in a cycle, and waits until that is gone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError
from itertools import chain, combinations, product

import msgspec

from clew.analysis.plans.order import before, cycles, dependencies
from clew.analysis.plans.ownership import around, covers, is_pattern, normalised, owned
from clew.words.declared import BY_NAME
from clew.words.plans import (
    DOCUMENTATION,
    KINDS,
    LARGEST_PLANS,
    PhaseId,
    Plan,
    PlanAgent,
    PlanFinding,
    PlanPhase,
    PlanRule,
    Severity,
    shown,
    writes,
)

__all__ = ["check"]

# A name with one of these words says that something comes into being.
CREATION = re.compile(
    r"\b(?:implement|create|build|scaffold|write|generate|set[ -]?up|develop)\b", re.IGNORECASE
)
FILE_FIELDS = ("creates", "modifies", "deletes", "test_files")
NAMED = 5  # of many files
MERGE_BATCH = BY_NAME["merge_batch"]
EMPTY = PlanFinding(
    code=PlanRule.EMPTY,
    message="the plan has no phases; in Markdown one begins with `## Phase 1: Its name`",
)


def check(plan: Plan, agents: Mapping[str, PlanAgent] | None = None) -> tuple[PlanFinding, ...]:
    """Return what is wrong with a plan, by the lines of its file; nothing for a sound one.

    `agents` says what the agents' names in it stand for, where a person has said so.
    """
    if not plan.phases:
        return (_placed(plan, EMPTY),)
    found = [finding for rule in RULES for finding in rule(plan)]
    found += _capabilities(plan, agents or {})
    try:
        waits = before(plan)
    except CycleError:
        found += _batches(plan)
    else:
        found += [*_redundant(plan, waits), *_overlaps(plan, waits)]
    placed = [_placed(plan, finding) for finding in found]
    return tuple(sorted(placed, key=lambda finding: (finding.path, finding.line)))


def _placed(plan: Plan, finding: PlanFinding) -> PlanFinding:
    place = plan.place(finding.where)
    if place is None:
        return finding
    return msgspec.structs.replace(finding, path=place.path, line=place.line)


# --- one field at a time --------------------------------------------------------------------------


def _size(plan: Plan) -> Iterator[PlanFinding]:
    if plan.complexity and plan.complexity not in LARGEST_PLANS:
        known = ", ".join(LARGEST_PLANS)
        yield _bad_value("complexity", f"the complexity {plan.complexity!r} is not one of {known}")
    most = LARGEST_PLANS.get(plan.complexity)
    if most is not None and len(plan.phases) > most:
        yield PlanFinding(
            code=PlanRule.PHASE_COUNT,
            message=f"a {plan.complexity} plan has at most {most} phases, and this one"
            f" {len(plan.phases)}; merge some, or call it more complex",
            where="complexity",
        )


def _required(plan: Plan) -> Iterator[PlanFinding]:
    for where, phase in _each(plan):
        for field in ("name", "agent"):
            if not getattr(phase, field).strip():
                yield PlanFinding(
                    code=PlanRule.MISSING_REQUIRED_FIELD,
                    message=f"phase {shown(phase.id)} has no {field}",
                    where=f"{where}.{field}",
                )


def _ids(plan: Plan) -> Iterator[PlanFinding]:
    first: dict[PhaseId, str] = {}
    for where, phase in _each(plan):
        if not _is_id(phase.id):
            yield _bad_value(f"{where}.id", "a phase's id is a whole number from 1 on, or a text")
        earlier = first.setdefault(phase.id, where)
        if earlier != where:
            place = plan.place(earlier)
            at = f", in line {place.line}" if place else ""
            yield PlanFinding(
                code=PlanRule.DUPLICATE_ID,
                message=f"there is a phase {shown(phase.id)} already{at}",
                where=f"{where}.id",
            )


def _is_id(phase: PhaseId) -> bool:
    return bool(phase.strip()) if isinstance(phase, str) else phase >= 1


def _kinds(plan: Plan) -> Iterator[PlanFinding]:
    for where, phase in _each(plan):
        if phase.kind not in KINDS:
            yield _bad_value(
                f"{where}.kind",
                f"{phase.kind!r} is no kind: leave it out, or write {DOCUMENTATION!r}",
            )


def _merge_batch(plan: Plan) -> Iterator[PlanFinding]:
    least, most = MERGE_BATCH.least or 1, MERGE_BATCH.most or 1
    if plan.merge_batch is not None and not least <= plan.merge_batch <= most:
        yield _bad_value("merge_batch", f"merge_batch is a number from {least:g} to {most:g}")


def _values(plan: Plan) -> Iterator[PlanFinding]:
    for where, phase in _each(plan):
        if phase.batch is not None and phase.batch < 1:
            yield _bad_value(f"{where}.batch", "batches count from 1")
        for field in FILE_FIELDS:
            for number, path in enumerate(getattr(phase, field)):
                if not normalised(path):
                    why = "leads out of the project" if path.strip() else "is empty"
                    yield _bad_value(f"{where}.{field}[{number}]", f"the path {path!r} {why}")
        for number, criterion in enumerate(phase.criteria):
            if not criterion.criterion.strip():
                yield _bad_value(f"{where}.criteria[{number}]", "the criterion is empty")
        for number, command in enumerate(phase.validation):
            if not command or not command[0].strip():
                yield _bad_value(f"{where}.validation[{number}]", "the command is empty")


# --- how phases stand to each other ---------------------------------------------------------------


def _dangling(plan: Plan) -> Iterator[PlanFinding]:
    known = {phase.id for phase in plan.phases}
    for where, phase in _each(plan):
        for number, wanted in enumerate(phase.depends_on):
            if wanted not in known:
                like = next((p.id for p in plan.phases if str(p.id) == str(wanted)), None)
                hint = "" if like is None else f"; {shown(like)} is another id"
                yield PlanFinding(
                    code=PlanRule.DANGLING_DEPENDENCY,
                    message=f"phase {shown(phase.id)} depends on {shown(wanted)}, which does"
                    f" not exist{hint}",
                    where=f"{where}.depends_on[{number}]",
                )


def _cyclic(plan: Plan) -> Iterator[PlanFinding]:
    for cycle in cycles(dependencies(plan)):
        way = " → ".join(shown(plan.phases[place].id) for place in cycle)
        yield PlanFinding(
            code=PlanRule.CYCLIC_DEPENDENCY,
            message=f"these phases wait for each other, so none can begin: {way}",
            where=f"phases[{cycle[0]}].depends_on",
        )


def _batches(plan: Plan) -> Iterator[PlanFinding]:
    edges = dependencies(plan)
    for place, phase in enumerate(plan.phases):
        for other in (plan.phases[each] for each in sorted(edges[place])):
            if phase.batch is not None and other.batch is not None and other.batch > phase.batch:
                yield _bad_value(
                    f"phases[{place}].batch",
                    f"phase {shown(phase.id)} of batch {phase.batch} depends on"
                    f" {shown(other.id)}, which is of batch {other.batch}",
                )


def _redundant(plan: Plan, waits: Mapping[int, int]) -> Iterator[PlanFinding]:
    places = {phase.id: place for place, phase in enumerate(plan.phases)}
    for where, phase in _each(plan):
        known = [each for each in phase.depends_on if each in places]
        for number, needless in enumerate(phase.depends_on):
            bit = 1 << places[needless] if needless in places else 0
            by = next((each for each in known if waits[places[each]] & bit), None)
            if by is not None or needless in phase.depends_on[:number]:
                why = " twice" if by is None else f": it comes before {shown(by)} anyway"
                yield PlanFinding(
                    code=PlanRule.REDUNDANT_DEPENDENCY,
                    severity=Severity.WARNING,
                    message=f"phase {shown(phase.id)} need not name {shown(needless)}{why}",
                    where=f"{where}.depends_on[{number}]",
                )


def _overlaps(plan: Plan, waits: Mapping[int, int]) -> Iterator[PlanFinding]:
    """Yield each pair of phases that own the same files, while neither waits for the other."""
    owners: dict[str, set[int]] = defaultdict(set)
    for place, phase in enumerate(plan.phases):
        for path in owned(phase):
            owners[path].add(place)
    patterns = list(filter(is_pattern, owners))
    common: dict[tuple[int, int], list[str]] = defaultdict(list)
    for path, inside in sorted(owners.items()):
        wider = {*around(path), *(each for each in patterns if covers(each, path))} - {path}
        above = set().union(*(owners[each] for each in wider if each in owners)) - inside
        for one, other in chain(combinations(sorted(inside), 2), product(inside, above)):
            if not (waits[one] >> other & 1 or waits[other] >> one & 1):
                common[min(one, other), max(one, other)].append(path)
    for (one, other), paths in sorted(common.items()):
        yield _overlap(plan, one, other, paths)


def _overlap(plan: Plan, one: int, other: int, paths: list[str]) -> PlanFinding:
    first, second = plan.phases[one], plan.phases[other]
    together = first.parallel and second.parallel
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    names = f"phases {shown(first.id)} and {shown(second.id)}"
    what = f"{', '.join(paths[:NAMED])}{more}"
    return PlanFinding(
        code=PlanRule.FILE_OVERLAP,
        severity=Severity.ERROR if together else Severity.WARNING,
        message=f"{names} may run together, and both own {what}; let one depend on the other"
        if together
        else f"{names} both own {what}, and nothing says which comes first",
        where=_owner(other, second, paths[0]),
    )


def _owner(place: int, phase: PlanPhase, path: str) -> str:
    """Return the field in which a phase declares a path, or what it is part of."""
    for field in FILE_FIELDS:
        for number, declared in enumerate(getattr(phase, field)):
            if covers(normalised(declared), path):
                return f"phases[{place}].{field}[{number}]"
    return f"phases[{place}]"


def _capabilities(plan: Plan, agents: Mapping[str, PlanAgent]) -> Iterator[PlanFinding]:
    for where, phase in _each(plan):
        if not phase.agent.strip() or writes(phase.agent, agents):
            continue
        named = f"phase {shown(phase.id)} is for {phase.agent!r}, an agent that writes no files"
        if phase.files:
            yield PlanFinding(
                code=PlanRule.AGENT_CAPABILITY_MISMATCH,
                message=f"{named}, and it owns {phase.files[0]}; name one that does, such as"
                " coder, or split the phase",
                where=f"{where}.agent",
            )
        elif CREATION.search(phase.name):
            yield PlanFinding(
                code=PlanRule.AGENT_CAPABILITY_MISMATCH,
                severity=Severity.WARNING,
                message=f"{named}, and {phase.name!r} sounds as if it had to",
                where=f"{where}.agent",
            )


def _bad_value(where: str, message: str) -> PlanFinding:
    return PlanFinding(code=PlanRule.INVALID_FIELD_VALUE, message=message, where=where)


def _each(plan: Plan) -> Iterator[tuple[str, PlanPhase]]:
    for place, phase in enumerate(plan.phases):
        yield f"phases[{place}]", phase


RULES: tuple[Callable[[Plan], Iterator[PlanFinding]], ...] = (
    *(_size, _kinds, _merge_batch, _required, _ids, _values),
    *(_dangling, _cyclic),
)
