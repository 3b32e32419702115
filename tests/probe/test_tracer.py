import importlib.util
import threading
from pathlib import Path
from types import ModuleType

import pytest

from clew.probe.tracer import Tracer

SOURCE = """\
def sign(x):
    if x < 0:
        return -1
    return 1

def later(x):
    yield sign(x)
    yield 2
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def code(tmp_path: Path) -> ModuleType:
    path = tmp_path / "inside" / "code.py"
    path.parent.mkdir()
    path.write_text(SOURCE)
    return load(path)


def test_lines_that_ran_are_recorded(tmp_path: Path, code: ModuleType) -> None:
    """Only executed lines count, by absolute path."""
    tracer = Tracer([str(tmp_path)], [])
    tracer.start()
    code.sign(1)
    lines = tracer.stop()
    tracer.close()

    assert {str(tmp_path / "inside" / "code.py"): [2, 4]} == lines


def test_each_stretch_stands_alone(tmp_path: Path, code: ModuleType) -> None:
    """A line seen in one stretch is seen again in the next, and none leaks between them."""
    path = str(tmp_path / "inside" / "code.py")
    tracer = Tracer([str(tmp_path)], [])
    found = []
    for value in (1, -1, 1):
        tracer.start()
        code.sign(value)
        found.append(tracer.stop().get(path))
        code.sign(-1)
    tracer.close()

    assert [[2, 4], [2, 3], [2, 4]] == found


def test_generators_and_threads_are_seen(tmp_path: Path, code: ModuleType) -> None:
    """A generator's body counts when it runs, and so does a thread's work."""
    path = str(tmp_path / "inside" / "code.py")
    tracer = Tracer([str(tmp_path)], [])
    tracer.start()
    list(code.later(1))
    thread = threading.Thread(target=code.sign, args=(-1,))
    thread.start()
    thread.join()
    lines = tracer.stop()
    tracer.close()

    assert [2, 3, 4, 7, 8] == lines[path]


@pytest.mark.parametrize("skip", ["inside", "inside/code.py"])
def test_skipped_places_are_not_seen(tmp_path: Path, code: ModuleType, skip: str) -> None:
    """A folder or a file named in `skip` leaves no lines."""
    tracer = Tracer([str(tmp_path)], [str(tmp_path / skip)])
    tracer.start()
    code.sign(1)
    lines = tracer.stop()
    tracer.close()

    assert {} == lines


def test_code_elsewhere_is_not_seen(tmp_path: Path, code: ModuleType) -> None:
    """Files outside the roots leave no lines."""
    tracer = Tracer([str(tmp_path / "elsewhere")], [])
    tracer.start()
    code.sign(1)
    lines = tracer.stop()
    tracer.close()

    assert {} == lines


@pytest.mark.parametrize("link", ["build/code.py", "build"])
def test_code_behind_a_link_is_seen_where_it_lies(tmp_path: Path, link: str) -> None:
    """Whether its file is a link or its folder; the link itself may lie anywhere."""
    path = tmp_path / "root" / "src" / "code.py"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    place = tmp_path / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(path if place.suffix else path.parent)
    code = load(tmp_path / "build" / "code.py")
    tracer = Tracer([str(tmp_path / "root")], [])
    tracer.start()
    code.sign(1)
    lines = tracer.stop()
    tracer.close()

    assert {str(path): [2, 4]} == lines
