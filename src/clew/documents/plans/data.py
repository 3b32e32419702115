"""Plans as data: an object with `phases` or `tasks`, a list of tasks, or a folder of task files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clew.documents.plans.building import RawPhase, RawPlan
from clew.documents.plans.located import Located, Misread
from clew.words.plans import CODER

__all__ = ["read", "read_folder"]

TASK = frozenset({"title", "description", "acceptance_criteria"})  # a map with one of these is one


def read(path: str, found: Located) -> RawPlan:
    """Read a plan from a file of data. Raises Misread where it holds none."""
    if isinstance(found.value, list):
        return _tasks(path, Located({}, found.line), [(path, each) for each in found.value])
    fields: dict[str, Located] = dict(found.value) if isinstance(found.value, dict) else {}
    inner = fields.get("plan")
    if inner is not None and isinstance(inner.value, dict):  # as a call of a tool wraps it
        del fields["plan"]
        return read(path, Located(fields | inner.value, found.line))
    name = next((name for name in ("phases", "tasks") if name in fields), None)
    if name is not None:
        listed = fields.pop(name)
        if not isinstance(listed.value, list):
            raise Misread(f"`{name}` must be a list", listed.line)
        rest = Located(fields, found.line)
        if name == "tasks":
            return _tasks(path, rest, [(path, each) for each in listed.value])
        phases = tuple(RawPhase(path=path, fields=each) for each in listed.value)
        return RawPlan(path=path, fields=rest, phases=phases)
    if "id" in fields and TASK & set(fields):
        return _tasks(path, Located({}, found.line), [(path, found)])
    raise Misread("it is neither a map with `phases` or `tasks` nor a list of tasks", found.line)


def read_folder(path: str, files: Mapping[str, Located]) -> RawPlan:
    """Read a plan from the files of a folder: one task each, or a list of them."""
    tasks: list[tuple[str, Located]] = []
    for name, found in files.items():
        each = found.value if isinstance(found.value, list) else [found]
        tasks += [(name, task) for task in each]
    return _tasks(path, Located({}, 1), tasks)


def _tasks(path: str, fields: Located, tasks: Sequence[tuple[str, Located]]) -> RawPlan:
    """Tasks name no agent of theirs: all are a coder's."""
    phases = tuple(RawPhase(path=name, fields=task) for name, task in tasks)
    return RawPlan(path=path, fields=fields, phases=phases, agent=CODER)
