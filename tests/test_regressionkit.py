"""The faults with a history are complete, and their judges tell right from wrong."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from packagekit import FETCHED, python
from regressionkit import REGRESSIONS, Regression, judge, mend, newcomers, prepare, regressions

CASES = regressions()


def named(case: Regression) -> str:
    return f"{case.package}/{case.name}"


def test_each_folder_is_a_case() -> None:
    folders = {place for place in REGRESSIONS.glob("*/*") if place.is_dir()}
    assert {case.folder for case in CASES} == folders
    assert CASES


@pytest.mark.parametrize("case", CASES, ids=named)
def test_case_is_complete(case: Regression) -> None:
    said = tomllib.loads((case.folder / "about.toml").read_text(encoding="utf-8"))
    assert set(said) == {"kind", "history", "tests", "note"}
    assert isinstance(case.history, bool)
    assert case.kind
    assert case.tests
    assert said["note"]
    names = sorted(place.name for place in case.folder.iterdir() if place.name != "__pycache__")
    assert names == [
        *(patch.name for patch in case.patches),
        "about.toml",
        "judge.py",
        "right.patch",
    ]
    assert 3 <= len(case.patches) <= 6
    assert [patch.name[:4] for patch in case.patches] == [
        f"{number:04}" for number in range(1, len(case.patches) + 1)
    ]
    for patch in case.patches:
        assert "\nFrom: Dev <dev@example.com>\n" in patch.read_text(encoding="utf-8")
    compile((case.folder / "judge.py").read_text(encoding="utf-8"), "judge.py", "exec")
    assert (case.folder / "right.patch").read_text(encoding="utf-8").startswith("diff --git ")


def test_the_cases_differ() -> None:
    assert len({case.package for case in CASES}) >= 10
    kinds = Counter(case.kind for case in CASES)
    assert max(kinds.values()) <= 3


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("case", CASES, ids=named)
def test_judge_tells_right_from_wrong(case: Regression, tmp_path: Path) -> None:
    if not (FETCHED / "sources" / case.package).is_dir():
        pytest.fail("run scripts/packages.py first")
    folder = prepare(case, tmp_path / case.package)
    assert outcome(case, folder) == 1
    assert not judge(case, folder, python(folder))
    mend(case, folder)
    assert outcome(case, folder) == 0
    assert judge(case, folder, python(folder))


@pytest.mark.slow
@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", newcomers(), ids=lambda case: case.name)
def test_the_judge_of_a_small_project_tells_right_from_wrong(
    case: Regression, tmp_path: Path
) -> None:
    folder = prepare(case, tmp_path / case.name)
    (folder / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    assert outcome(case, folder) == 1
    assert not judge(case, folder, python(folder))
    mend(case, folder)
    assert outcome(case, folder) == 0
    assert judge(case, folder, python(folder))


def outcome(case: Regression, folder: Path) -> int:
    done = subprocess.run(
        [python(folder), "-m", "pytest", "-q", "-p", "no:cacheprovider", *case.tests],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.returncode
