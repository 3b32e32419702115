from __future__ import annotations

import pytest

from clew.analysis.tampering import looks

SEEN = {
    'import sys\nA = "pytest" in sys.modules\n': "line 2: names 'pytest'",
    'import os\nA = os.environ.get("PYTEST_CURRENT_TEST")\n': "line 2: reads PYTEST_CURRENT_TEST",
    "import inspect\nA = inspect.stack()\n": "line 2: looks at the stack",
    "import sys\nA = sys._getframe(1)\n": "line 2: looks at the stack",
    "import os\nos._exit(0)\n": "line 2: uses os._exit",
    "import atexit\natexit.register(print)\n": "line 2: uses atexit.register",
    "import _pytest.runner\n": "line 1: imports _pytest.runner",
    "from unittest import case\n": "line 1: imports unittest",
    "import builtins\nbuiltins.len = None\n": "line 2: replaces the builtin len",
    "import sys\nsys.modules['a'] = None\n": "line 2: replaces a loaded module",
    "import sys\nsys.meta_path.insert(0, None)\n": "line 2: uses sys.meta_path",
    "class A:\n    def __eq__(self, _):\n        return True\n": "line 2: is equal to everything",
}


@pytest.mark.parametrize("text", SEEN)
def test_what_speaks_of_the_runner_is_named(text: str) -> None:
    """With its line; what the file did before is nothing new."""
    assert SEEN[text] in looks("", text)
    assert () == looks(text, "# moved\n" + text)


@pytest.mark.parametrize(
    "text",
    [
        '"""Run with pytest, as unittest does."""\n',
        "from unittest.mock import Mock\n",
        "import sys\nA = sys.modules.get('json')\nB = sys.argv\n",
        "import os\nA = os.environ['HOME']\n",
        "class A:\n    def __eq__(self, other):\n        return self.a == other.a\n",
        "def f(:\n",
    ],
)
def test_other_code_does_not(text: str) -> None:
    """A word in a sentence is no name."""
    assert () == looks("", text)
