"""Where code comes from: the worktree at the person's path, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from clew.runners import Request
from clew.sandbox.confinement import Level, detect
from clew.words.facts import Verdict
from projectplay import Play, named

RED = "from shop import share\ndef test_share(): assert share(4, 2) == 2\n"
WRONG = "def share(a, b):\n    return a * b\n"
RIGHT = "def share(a, b):\n    return a / b\n"
LEVELS = [level for level in Level if list(Level).index(level) >= list(Level).index(detect().level)]


def environment(play: Play, *pths: Path) -> str:
    """Make the project a `.venv` that borrows pytest, and points at the folders named."""
    folder = play.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (library,) = folder.glob("lib/python*/site-packages")
    borrowed = sysconfig.get_paths()["purelib"]
    (library / "links.pth").write_text("".join(f"{path}\n" for path in (*pths, borrowed)))
    return str(library)


@pytest.mark.parametrize("level", LEVELS)
def test_the_worktree_is_what_is_tested(play: Play, level: Level) -> None:
    """At every level of confinement tests run the worktree's code, with its own plain paths."""
    play.write({"shop.py": WRONG, "tests/test_a.py": RED})
    red = play.run(level=level)
    (play.worktree / "shop.py").write_text(RIGHT)
    green = play.run(level=level)

    assert (Verdict.FAILED, Verdict.PASSED) == (red.verdict, green.verdict)
    assert level == red.sandbox
    crash = named(red, "test_share").crash
    assert crash is not None
    assert ["tests/test_a.py"] == [frame.path for frame in crash.frames]
    assert not list(play.root.rglob("__pycache__"))


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("level", LEVELS)
def test_an_editable_installation_tests_the_worktree(play: Play, level: Level) -> None:
    """A `.venv` whose installation points at the person's tree runs the worktree all the same."""
    play.write({"src/shop.py": WRONG, "tests/test_a.py": RED})
    environment(play, play.root / "src")
    red = play.run(flag=".venv/bin/python -m pytest", level=level)
    (play.worktree / "src" / "shop.py").write_text(RIGHT)
    green = play.run(flag=".venv/bin/python -m pytest", level=level)

    assert (Verdict.FAILED, Verdict.PASSED) == (red.verdict, green.verdict), green.reason
    assert () == green.foreign


@pytest.mark.slow
def test_a_stale_installation_is_noticed(play: Play) -> None:
    """A copy of the project's module in the environment means that nothing was tested."""
    play.write({"src/shop.py": RIGHT, "tests/test_a.py": RED})
    library = environment(play)
    Path(library, "shop.py").write_text(WRONG)

    run = play.run(flag=".venv/bin/python -m pytest")

    assert (Verdict.DID_NOT_RUN, True, ("shop",)) == (run.verdict, run.infrastructure, run.foreign)
    assert "pip install -e ." in run.reason


@pytest.mark.slow
def test_what_a_linked_environment_holds_is_no_other_copy(play: Play, tmp_path: Path) -> None:
    """Packages in a `.venv` that is a link to a folder elsewhere are where they belong."""
    play.write({"test_a.py": "import borrowed\ndef test_a(): pass\n"})
    library = environment(play)
    Path(library, "borrowed.py").touch()
    kept = (play.root / ".venv").rename(tmp_path / "kept")
    (play.root / ".venv").symlink_to(kept)

    run = play.run(flag=".venv/bin/python -m pytest")

    assert (Verdict.PASSED, (), "") == (run.verdict, run.foreign, run.reason)


def test_the_person_s_own_tree_is_foreign_where_nothing_hides_it(play: Play) -> None:
    """Without namespaces a path written into a conftest leads out of the worktree: noticed."""
    play.write({"lib/shop.py": RIGHT, "test_a.py": RED})
    line = f"import sys\nsys.path.insert(0, {str(play.root / 'lib')!r})\n"
    play.write({"conftest.py": line})

    run = play.run(level=Level.NONE)

    assert (Verdict.DID_NOT_RUN, ("shop",)) == (run.verdict, run.foreign)


def test_tests_cannot_reach_out(play: Play) -> None:
    """What tests write stays in the worktree; the person's tree is as it was."""
    play.write(
        {
            "test_a.py": "from pathlib import Path\n"
            "def test_a(tmp_path):\n"
            "    Path('left.txt').write_text('x')\n"
            f"    Path({str(play.root)!r}, 'other.txt').write_text('x')\n"
        }
    )

    run = play.run(Request())

    if run.sandbox == Level.NAMESPACE:
        assert Verdict.PASSED is run.verdict
        assert (play.worktree / "other.txt").exists()
    assert ["test_a.py"] == [path.name for path in play.root.iterdir()]
