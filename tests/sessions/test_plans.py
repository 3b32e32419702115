"""Plans on disk, and their approvals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.git.project import locate
from clew.journal.store import Store
from clew.sessions.plans import PlanApprovals, PlanFile
from clew.words.errors import UsageError


@pytest.fixture
def approvals(tmp_path: Path) -> PlanApprovals:
    project = tmp_path / "project"
    project.mkdir()
    return PlanApprovals(locate(project), Store(tmp_path / "state"))


def written(approvals: PlanApprovals, text: str, name: str = "plan.md") -> PlanFile:
    path = approvals._project.root / name
    path.write_text(text)
    return PlanFile.at(path)


def test_what_is_approved_is_the_content(approvals: PlanApprovals) -> None:
    """An edit takes it away, and is noticed; undoing the edit gives it back."""
    first = written(approvals, "one")
    assert (None, None) == (approvals.of(first), approvals.before(first))
    approval = approvals.approve(first)
    assert ("plan.md", first.digest) == (approval.path, approval.digest)
    edited = written(approvals, "two")
    assert (None, approval) == (approvals.of(edited), approvals.before(edited))
    assert approval == approvals.of(written(approvals, "one"))
    other = written(approvals, "three", "other.md")
    assert (None, None) == (approvals.of(other), approvals.before(other))


def test_a_plan_is_approved_once(approvals: PlanApprovals) -> None:
    """Whoever does it again, or at the same moment, gets the first approval."""
    plan = written(approvals, "one")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: approvals.approve(plan).at, range(16)))
    assert {approvals.approve(plan).at} == found


@pytest.mark.parametrize("content", [b"", b"{}", b'{"digest": "0", "path": "plan.md"}', b"\xff"])
def test_a_damaged_approval_approves_nothing(approvals: PlanApprovals, content: bytes) -> None:
    """Nor one that was made for another plan."""
    plan = written(approvals, "one")
    approvals.approve(plan)
    (file,) = (approvals._store.folder / "approvals").iterdir()
    file.write_bytes(content)
    assert None is approvals.of(plan)
    assert approvals.approve(plan) == approvals.of(plan)


def test_a_folder_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    """Only its task files count, and each of them, by name too."""
    for name in ("10.json", "9.json", "notes.md"):
        (tmp_path / name).write_text(name)
    plan = PlanFile.at(tmp_path)
    assert ["9.json", "10.json"] == [*plan.texts.values()]
    (tmp_path / "notes.md").write_text("other")
    assert plan.digest == PlanFile.at(tmp_path).digest
    (tmp_path / "9.json").rename(tmp_path / "11.json")
    assert plan.digest != PlanFile.at(tmp_path).digest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\nb\xff", "is not UTF-8 text: see line 2"),
        (b"a" * ((4 << 20) + 1), "is larger than 4 MB"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_is_no_text_is_no_plan(tmp_path: Path, content: bytes | None, said: str) -> None:
    """The file and the place are named."""
    path = tmp_path / "plan.md"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        PlanFile.at(path)


def test_a_folder_without_tasks_is_no_plan(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(UsageError, match="holds no task file"):
        PlanFile.at(tmp_path)


def test_a_device_is_no_plan() -> None:
    """It could be read without end."""
    with pytest.raises(UsageError, match="is not a file"):
        PlanFile.at(Path("/dev/zero"))
