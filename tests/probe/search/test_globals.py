"""What modules and classes of a project hold is put back between two candidates."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar

import pytest

from clew.probe.search.globals import Memory


class Held(ModuleType):
    """A module with names that a test gives it."""

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: object) -> None: ...


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Held:
    made = Held("held")
    made.__file__ = str(tmp_path / "held.py")
    monkeypatch.setitem(sys.modules, "held", made)
    return made


def test_containers_in_containers_get_their_own_elements_back(tmp_path: Path, module: Held) -> None:
    """The very same ones: whoever holds them goes on to see them."""
    names: list[str] = ["a"]
    inner: dict[str, object] = {"port": 1, "names": names}
    kinds = defaultdict(list, a=[1])
    settings: dict[str, object] = {"db": inner, "kinds": kinds}
    module.SETTINGS = settings
    memory = Memory(str(tmp_path))
    inner["port"] = 2
    names.append("b")
    kinds["b"].append(3)
    settings["new"] = {}
    memory.restore()
    assert {"db": {"port": 1, "names": ["a"]}, "kinds": {"a": [1]}} == settings
    assert settings["db"] is inner
    assert inner["names"] is names


def test_what_a_class_holds_and_a_default_is_put_back(tmp_path: Path, module: Held) -> None:
    class Bag:
        kept: ClassVar[list[int]] = []

        def add(self, to: list[int] = []) -> None:  # noqa: B006 - that is what is shared
            to.append(1)

    Bag.__module__ = "held"
    module.Bag = Bag
    memory = Memory(str(tmp_path))
    Bag().add()
    Bag.kept.append(1)
    memory.restore()
    assert ([], ([],)) == (Bag.kept, Bag.add.__defaults__)


def test_what_refers_to_itself_is_remembered_once(tmp_path: Path, module: Held) -> None:
    ring: list[object] = [1]
    ring.append(ring)
    module.RING = ring
    memory = Memory(str(tmp_path))
    ring.clear()
    memory.restore()
    assert (2, True) == (len(ring), ring[1] is ring)


def test_libraries_within_the_project_are_left_alone(tmp_path: Path, module: Held) -> None:
    module.__file__ = str(tmp_path / ".venv" / "lib" / "site-packages" / "held.py")
    kept: list[int] = []
    module.KEPT = kept
    memory = Memory(str(tmp_path))
    kept.append(1)
    memory.restore()
    assert [1] == kept
