"""Two versions of a project, called with the same inputs, each in its own confinement."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from clew.evaluation.judging import calls
from clew.runners import Site
from clew.runners.commands import recognise
from clew.sandbox import confinement, processes
from clew.words.facts import TestCommand

__all__ = ["BehaviourComparison", "TargetFunction", "compare", "targets"]

INPUTS = 200  # made for each function, beside those recorded
RECORDING = 60.0
ANSWERING = 30.0
PATIENCE = 0.5  # for one call of the right version
SLACK = 10.0  # times that for the other: a slow machine is no difference


class TargetFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function by its file, the first line of its definition in the right version, its name."""

    path: str
    line: int
    name: str


class CallResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one call gave, in words that are equal for equal behaviour."""

    number: int
    target: int
    call: str
    answer: str


class BehaviourComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What calling both versions showed; `inputs` were answered by both."""

    inputs: int
    differs: bool = False
    witness: str = ""
    unseen: tuple[str, ...] = ()  # functions that no test calls with values that can be kept


def targets(
    names: Mapping[str, Sequence[str]], fixed: Mapping[str, str]
) -> tuple[TargetFunction, ...]:
    """Find functions, by path and qualified name, in the right version."""
    found = []
    for path, wanted in names.items():
        for name, line in _lines(ast.parse(fixed[path]), ""):
            if name in wanted:
                found.append(TargetFunction(path=path, line=line, name=name))
    return tuple(found)


def _lines(tree: ast.AST, prefix: str) -> list[tuple[str, int]]:
    found = []
    for node in getattr(tree, "body", ()):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.decorator_list[0] if node.decorator_list else node
            found.append((prefix + node.name, first.lineno))
        elif isinstance(node, ast.ClassDef):
            found += _lines(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            found += _lines(node, prefix)
    return found


def compare(
    wanted: Sequence[TargetFunction],
    *,
    right: Site,
    other: Site,
    command: TestCommand,
    scratch: Path,
    seed: int,
    extra: Sequence[str] = (),
) -> BehaviourComparison:
    """Call the functions in both versions with recorded and varied inputs.

    Inputs that the right version refuses with an exception are left out unless a test makes them;
    so are those that it answers slowly or differently each time. `scratch` is a folder that is not
    there yet. Calls of foreign code run nowhere but in the sandbox.
    """
    bench = CallScript(command, scratch, [msgspec.to_builtins(target) for target in wanted], seed)
    if not command.runner.python or not bench.record(right, extra):
        return BehaviourComparison(inputs=0, unseen=tuple(t.name for t in wanted))
    expected = bench.answer(right, "inputs.jsonl", vary=INPUTS)
    actual = {a.number: a for a in bench.answer(other, "varied.jsonl", vary=0)}
    called = {answer.target for answer in expected}
    unseen = tuple(t.name for n, t in enumerate(wanted) if n not in called)
    answered = 0
    for one in expected:
        given = actual.get(one.number)
        if given is None:  # its time was up, or it took its process with it: nothing is shown
            return BehaviourComparison(
                inputs=0, unseen=(*unseen, "what its process did not outlive")
            )
        answered += 1
        if given.answer != one.answer:
            witness = f"{one.call}: {given.answer[:200]}; right: {one.answer[:200]}"
            return BehaviourComparison(
                inputs=answered, differs=True, witness=witness, unseen=unseen
            )
    return BehaviourComparison(inputs=answered, unseen=unseen)


class CallScript:
    """The script, its folder, and the files that pass between its runs."""

    def __init__(
        self, command: TestCommand, scratch: Path, wanted: list[object], seed: int
    ) -> None:
        self.command = command
        self.meant = recognise(command.argv)
        self.scratch = scratch
        self.out = scratch / "out"
        self.wanted = wanted
        self.seed = seed
        self.out.mkdir(parents=True)
        self.script = Path(shutil.copy(calls.__file__, scratch / "calls.py"))

    def record(self, site: Site, extra: Sequence[str]) -> bool:
        """Run the tests of the right version; say whether calls were seen."""
        self._run(
            site,
            RECORDING,
            verb="record",
            runner=self.command.runner.value,
            args=[*self.meant.arguments, *extra],
            inputs=str(self.out / "inputs.jsonl"),
        )
        inputs = self.out / "inputs.jsonl"
        return inputs.is_file() and bool(inputs.stat().st_size)

    def answer(self, site: Site, inputs: str, *, vary: int) -> tuple[CallResult, ...]:
        """Call the functions of one version."""
        answers = self.out / ("expected.jsonl" if vary else "actual.jsonl")
        self._run(
            site,
            ANSWERING if vary else ANSWERING * SLACK / 2,
            verb="answer",
            inputs=str(self.out / inputs),
            answers=str(answers),
            varied=str(self.out / "varied.jsonl"),
            vary=vary,
            seed=self.seed,
            seconds=ANSWERING / 2 if vary else ANSWERING * SLACK / 4,
            patience=PATIENCE if vary else PATIENCE * SLACK,
        )
        if not answers.is_file():
            return ()
        lines = answers.read_bytes().splitlines(keepends=True)
        decoder = msgspec.json.Decoder(CallResult)
        return tuple(decoder.decode(each) for each in lines if each.endswith(b"\n"))

    def _run(self, site: Site, timeout: float, **words: object) -> None:
        asked = self.scratch / "request.json"
        python = self.command.interpreter or "python3"
        policy = site.policy(
            visible=(self.scratch,), writable=(self.out,), given=self.meant.environment
        )
        confined = confinement.confine(
            [python, *self.meant.options, str(self.script), str(asked)], policy
        )
        root = site.root if confined.sees_target else site.worktree
        request = {"root": str(root), "targets": self.wanted, **words}
        asked.write_bytes(msgspec.json.encode(request))
        environment = site.environment(confined, self.meant.environment)
        processes.run(
            confined.argv,
            cwd=confined.cwd,
            env={**environment, "PYTHONHASHSEED": "0"},
            timeout=timeout,
            bounds=confined.bounds,
        )
