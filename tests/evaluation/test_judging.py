"""A fix is right when nothing tells it from the right version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew import runners
from clew.evaluation.judging import BehaviourComparison, Judgement, Mended, compare, judge
from clew.evaluation.judging.comparing import targets
from clew.evaluation.tasks import Task, Version, lay
from clew.git.project import locate
from clew.words.facts import TestCommand
from projects import write

RIGHT = '''\
class Stack:
    def __init__(self, items):
        self.items = items

    @property
    def top(self):
        return self.items[-1]

    @staticmethod
    def of(*items, twice=False):
        return Stack(list(items) * (2 if twice else 1))

    def drain(self):
        while self.items:
            yield self.items.pop()


def span(values):
    """Return how far the values reach."""
    return max(values) - min(values)


def share(part, whole):
    return part / whole


def never(value):
    return value
'''
TESTS = """\
from stack import Stack, share, span


def test_stack():
    stack = Stack.of(1, 2, 3, twice=True)
    assert stack.top == 3
    assert list(stack.drain()) == [3, 2, 1, 3, 2, 1]
    assert Stack(["a", "b"]).top == "b"
    assert list(Stack([5]).drain()) == [5]


def test_span():
    assert span([1, 5, 3]) == 4
    assert span([2, 2]) == 0


def test_share():
    assert share(1, 2) == 0.5
    try:
        share(1, 0)
    except ZeroDivisionError:
        pass
"""

Versions = Callable[..., BehaviourComparison]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "p", {"stack.py": RIGHT, "test_stack.py": TESTS})


@pytest.fixture
def command(project: Path) -> TestCommand:
    return runners.detect(project, project, flag=None, settings=None, root=project)


def versions(project: Path, command: TestCommand, other: str, *names: str) -> BehaviourComparison:
    """Compare functions of the project with those of another text of `stack.py`."""
    scratch = project.parent / "scratch"
    found = locate(project)
    trees = [write(project.parent / n, {"test_stack.py": TESTS}) for n in ("right", "other")]
    for tree, text in zip(trees, (RIGHT, other), strict=True):
        write(tree, {"stack.py": text})
    right, wrong = (runners.build(found, t, command, scratch=scratch) for t in trees)
    wanted = targets({"stack.py": names}, {"stack.py": RIGHT})
    return compare(
        wanted, right=right, other=wrong, command=command, scratch=scratch / "calls", seed=0
    )


@pytest.mark.slow
def test_equal_behaviour_is_equal(project: Path, command: TestCommand) -> None:
    """Methods, properties, static ones, generators: called with what tests give them, and more."""
    other = RIGHT.replace("self.items[-1]", "self.items[len(self.items) - 1]").replace(
        "max(values) - min(values)", "sorted(values)[-1] - sorted(values)[0]"
    )
    names = ("Stack.top", "Stack.of", "Stack.drain", "span", "share")
    found = versions(project, command, other, *names)
    assert (False, (), "") == (found.differs, found.unseen, found.witness)
    assert found.inputs > 200


def test_a_difference_has_its_input(project: Path, command: TestCommand) -> None:
    """One that passes the tests and is wrong beyond them is shown by a call."""
    other = RIGHT.replace("max(values) - min(values)", "max(values) - min(values[0], values[-1])")
    found = versions(project, command, other, "span")
    assert found.differs
    assert found.witness.startswith("span([")
    assert "; right: gives" in found.witness


@pytest.mark.slow
def test_what_becomes_of_arguments_counts(project: Path, command: TestCommand) -> None:
    """A function that sorts its argument in place is another one."""
    other = RIGHT.replace(
        "    return max(values) - min(values)",
        "    values.sort()\n    return values[-1] - values[0]",
    )
    found = versions(project, command, other, "span")
    assert (True, True) == (found.differs, "leaves" in found.witness)


@pytest.mark.slow
def test_an_exception_is_an_answer(project: Path, command: TestCommand) -> None:
    """One that a test asks for is compared; new inputs that the right version refuses are not."""
    other = RIGHT.replace("return part / whole", "return part / whole if whole else 0.0")
    found = versions(project, command, other, "share")
    assert "share(1, 0): gives 0" in found.witness
    assert "right: raises ZeroDivisionError" in found.witness


def test_a_function_that_no_test_calls_is_unseen(project: Path, command: TestCommand) -> None:
    """Nothing is made up about it."""
    found = versions(project, command, RIGHT, "never")
    assert (0, ("never",)) == (found.inputs, found.unseen)


def judged(project: Path, command: TestCommand, other: str, **more: str) -> Judgement:
    held_out = {"test_more.py": more["held_out"]} if "held_out" in more else {}
    task = Task(
        id="x",
        buggy={"stack.py": RIGHT.replace("- min", "+ min")},
        fixed={"stack.py": RIGHT},
        tests={"test_stack.py": TESTS},
        held_out=held_out,
        entry=more.get("entry", ""),
    )
    tree = lay(task, Version.FIXED, project.parent / "tree")
    write(tree, {"stack.py": other})
    mended = Mended(project=locate(project), tree=tree, texts={"stack.py": other}, command=command)
    scratch = project.parent / "judging"
    scratch.mkdir()
    return judge(task, mended, scratch=scratch, seed=0)


def test_the_same_program_is_right(project: Path, command: TestCommand) -> None:
    """Nothing has to be run for it."""
    found = judged(project, command, RIGHT.replace("how far the values reach", "the span"))
    assert (True, "same program") == (found.correct, found.method)


def test_held_out_tests_decide(project: Path, command: TestCommand) -> None:
    """A fix that nobody's eyes were on is judged by tests that it did not see."""
    held_out = "from stack import span\n\n\ndef test_more():\n    assert span([4, 9, 1, 5]) == 8\n"
    other = RIGHT.replace("max(values) - min(values)", "max(values) - min(values[0], values[-1])")
    found = judged(project, command, other, held_out=held_out)
    assert (False, "held-out tests") == (found.correct, found.method)
    assert "test_more.py::test_more" == found.witness


def test_what_cannot_be_told_is_unknown(project: Path, command: TestCommand) -> None:
    """A difference outside of functions, or in one that no test calls."""
    outside = judged(project, command, RIGHT + "\nLIMIT = 3\n")
    assert (None, True) == (outside.correct, outside.method.startswith("unknown"))


@pytest.mark.slow
def test_the_function_that_a_task_is_about_stands_for_its_file(
    project: Path, command: TestCommand
) -> None:
    """A helper that the fix adds is no obstacle."""
    other = RIGHT.replace("max(values) - min(values)", "reach(values)")
    other += "\n\ndef reach(values):\n    return max(values) - min(values)\n"
    found = judged(project, command, other, entry="stack.py::span")
    assert (True, True) == (found.correct, found.method.startswith("differential, "))
