"""Whether the code of a test touches chance, as the files of a project tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.analysis.flakes import Chance
from clew.flows.debugging.driver.chance import ChanceSources
from projects import write

CART = "def total(xs):\n    return sum(xs)\n"
TEST = "from {0}.cart import total\n\n\ndef test_total():\n    assert 3 == total([1, 1])\n"


@pytest.mark.parametrize("name", ["trio", "anyio", "gevent"])
@pytest.mark.parametrize("base", ["", "src/"])
def test_a_package_that_is_called_as_a_library_is_the_projects(
    tmp_path: Path, base: str, name: str
) -> None:
    """Where the project has no such package, the library is meant."""
    test = {"tests/test_cart.py": TEST.format(name)}
    ran = {"tests/test_cart.py": None}
    project = write(tmp_path, test)
    assert {Chance.THREADS} == ChanceSources(project, ".").of(ran)
    package = f"{base}{name}"
    write(project, {f"{package}/__init__.py": "", f"{package}/cart.py": CART})
    assert frozenset() == ChanceSources(project, ".").of(ran)
