"""What one search came to, and what a second one adds that went on from it."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from .files import ProjectSources
from .importing import Importer, Known
from .onward import joined_after, line_before, without_unread
from .ranking import Survivor, best
from .request import edits_of, hash_of
from .source import Patch, Splice, apply_changes

__all__ = ["SearchOutcome", "outcome_of", "survivor_of"]


class SearchOutcome(NamedTuple):
    """Patches and suspects of one search, or of two, one after the other."""

    survivors: List[Survivor]
    targets: List[str]
    broken: List[str]  # of the targets, what could not be collected
    suspects: List[Dict[str, Any]]
    made: int
    tried: int
    families: Dict[str, int]
    exhausted: bool
    denied: bool
    notes: List[str]
    mended: Dict[Patch, Tuple[str, ...]]  # by parts of patches: what turned green with each
    further: List[Survivor]  # repairs of crashes, with which tests are still red
    passing: List[str]  # tests that pass as it is

    @property
    def complete(self) -> bool:
        return any(survivor.complete for survivor in self.survivors)

    def bases(self, *, loading: bool) -> List[Survivor]:
        """Return what another search may go on from.

        That is the best patch, if tests load with it that did not and others are red, where
        `loading` is wanted; and where no patch is complete, those with which tests got further.
        """
        first = best(self.survivors, len(self.targets), 1)
        if first and set(first[0].greens) & set(self.broken):
            return first if first[0].reds and loading else []
        if self.complete:
            return []
        return self.further

    def after(self, base: Survivor, later: SearchOutcome, project: ProjectSources) -> SearchOutcome:
        """Return this outcome with what another search found, with the base in place.

        What is not complete is wanted only where there is nothing else.
        """
        survivors: List[Survivor] = []
        mended = dict(self.mended)
        for survivor in later.survivors:
            wanted = survivor.complete or not self.survivors
            whole = joined_after(base.patch, survivor.patch, project) if wanted else None
            if whole is None or len(self.asked(survivor.reds)) < len(survivor.reds):
                continue  # the two touch, or it breaks what passes
            patch = without_unread(whole, project)
            if hash_of(edits_of(project, patch)) in project.request.forbidden:
                continue
            own = survivor._replace(greens=tuple(self.asked(survivor.greens)))
            survivors.append(joined(base, own, patch))
            for part, was in zip(whole.parts[len(base.patch.single) :], survivor.patch.single):
                mended[part] = tuple(self.asked(later.mends(was))) or own.greens
        for part in base.patch.single if survivors else ():
            mended[part] = self.mends(part) or base.greens or survivors[0].greens
        suspects = [
            {**each, "line": line_before(each["path"], each["line"], base.patch, project)}
            for each in later.suspects
        ]
        suspects = [each for each in suspects if each["line"]]
        places = {(each["path"], each["line"]) for each in suspects}
        suspects += [each for each in self.suspects if (each["path"], each["line"]) not in places]
        return self._replace(
            survivors=survivors or self.survivors,
            targets=[*base.greens, *self.asked(later.targets)] if survivors else self.targets,
            suspects=suspects,
            made=self.made + later.made,
            tried=self.tried + later.tried,
            families=dict(Counter(self.families) + Counter(later.families)),
            notes=[*self.notes, *later.notes],
            mended=mended,
        )

    def asked(self, tests: Sequence[str]) -> List[str]:
        """Return the tests that do not pass as it is: what a base turned red is not told of."""
        return [test for test in tests if test not in self.passing]

    def mends(self, patch: Patch) -> Tuple[str, ...]:
        return next((each.greens for each in self.survivors if each.patch == patch), ())


def joined(base: Survivor, later: Survivor, patch: Patch) -> Survivor:
    """Return a survivor of the second search with the base as a part of its patch."""
    parting = later.parting
    if parting:
        parting = (*parting[:5], base.patch.description + "; " + parting[5])
    greens = (*base.greens, *later.greens)
    return later._replace(patch=patch, greens=greens, parting=parting)


def outcome_of(
    known: Known, importer: Importer, end: Dict[str, Any], notes: Sequence[str]
) -> SearchOutcome:
    """Put together what the search by importing found, and what the other one told at its end."""
    survivors = [survivor_of(fields) for fields in end.get("survivors", ())]
    if importer.broken:
        # What is red by exchanging code alone is not all that is red.
        survivors = [s._replace(reds=(*s.reds, *importer.broken)) for s in survivors]
    survivors += importer.survivors
    suspects = list(end.get("suspects", ())[:20])
    if importer.survivors or not suspects:
        suspects += [
            {
                "path": spot.path, "line": spot.line, "function": "",
                "score": round(0.8 * score, 4),
                "flips": importer.frontier.flips.get((spot.path, spot.line), 0),
            }
            for spot, score in list(importer.frontier.suspects())[:10]
        ]  # fmt: skip
    further = [(patch_of(fields), tuple(greens)) for fields, greens in end.get("further", ())]
    return SearchOutcome(
        survivors=of_one_text(survivors, importer.project),
        targets=importer.targets,
        broken=importer.broken,
        suspects=suspects,
        made=end.get("made", 0) + importer.frontier.made,
        tried=end.get("tried", 0) + importer.tried,
        families=dict(Counter(end.get("families", {})) + Counter(importer.families)),
        exhausted=bool(end.get("exhausted", not known.targets)) and importer.exhausted,
        denied=bool(end.get("denied")),
        notes=[*end.get("notes", ()), *notes],
        mended={},
        further=[
            Survivor(patch, greens, left(importer.targets, greens), 1.0, (patch.path,))
            for patch, greens in further
        ],
        passing=known.greens,
    )


def of_one_text(survivors: Sequence[Survivor], project: ProjectSources) -> List[Survivor]:
    """Return the survivors; those with which the files say the same are one."""
    keys: Dict[Tuple[Tuple[str, str], ...], Any] = {}
    found: List[Survivor] = []
    for survivor in survivors:
        files = survivor.patch.files
        texts = [(p, apply_changes(project.text(p) or "", changes)) for p, changes in files]
        said = tuple((p, bare(text) if survivor.complete else text) for p, text in texts)
        found.append(survivor._replace(key=keys.setdefault(said, survivor.key)))
    return found


def bare(text: str) -> str:
    """Return what a text says as Python: without its layout, remarks and the `+` of numbers."""
    try:
        tree = Unsigned().visit(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return text
    return ast.dump(tree)


class Unsigned(ast.NodeTransformer):
    """Leaves out the sign that changes nothing."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Return a number without its `+`."""
        self.generic_visit(node)
        is_bare = isinstance(node.op, ast.UAdd) and isinstance(node.operand, ast.Constant)
        return node.operand if is_bare else node


def left(targets: Sequence[str], greens: Sequence[str]) -> Tuple[str, ...]:
    return tuple(each for each in targets if each not in greens)


def survivor_of(fields: Sequence[Any]) -> Survivor:
    patch, greens, reds, suspicion, key, natural, inputs, parting, *heard = fields
    return Survivor(
        patch_of(patch),
        tuple(greens),
        tuple(reds),
        suspicion,
        frozen(key),
        natural,
        inputs,
        tuple(parting),
        *heard,
    )


def patch_of(fields: Sequence[Any]) -> Patch:
    path, line, family, weight, description, changes, parts = fields
    return Patch(
        path, line, family, weight, description,
        tuple(Splice(*change) for change in changes), tuple(map(patch_of, parts)),
    )  # fmt: skip


def frozen(value: Any) -> Any:
    return tuple(frozen(item) for item in value) if isinstance(value, (list, tuple)) else value
