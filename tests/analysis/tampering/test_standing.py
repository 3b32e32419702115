from __future__ import annotations

import pytest

from clew.analysis.tampering import stand_alone

NAMES = ("test_it", "test_other")
TEXT = "import shop\n\n\ndef test_it():\n    assert shop.a() == 1\n"


def test_a_function_that_is_given_nothing_stands_alone() -> None:
    """Those that were not asked for are left out."""
    assert ("test_it",) == stand_alone(TEXT + "\n\ndef test_more():\n    pass\n", NAMES)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("test_it()", "test_it(tmp_path)"),
        TEXT.replace("test_it()", "test_it(*rest)"),
        TEXT.replace("def test_it", "@mark\ndef test_it"),
        TEXT.replace("def test_it", "async def test_it"),
        "class A:\n    def test_it(self):\n        pass\n",
        f"from . import helper\n{TEXT}",
        f"def setup_module():\n    pass\n\n\n{TEXT}",
        f"@pytest.fixture(autouse=True)\ndef ready():\n    pass\n\n\n{TEXT}",
        f"pytestmark = pytest.mark.db\n{TEXT}",
        "def test_it(:\n",
    ],
)
def test_what_a_runner_does_more_with_does_not(text: str) -> None:
    """It gives it fixtures, sets something up, or makes something of it."""
    assert () == stand_alone(text, NAMES)
