"""Small suites in every layout that `clew bench` reads, of our own making."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from projects import git, write

GREET_TESTS = """\
from greet import greet, shout


def test_greet():
    assert greet("Ada") == "Hello Ada"


def test_shout():
    assert shout(["a", "b"]) == "AB"
"""
GREET = """\
def greet(name):
    return "Hello " + name


def shout(words):
    return "".join(word.upper() for word in words)
"""

# Its fix is one comparison; `most` of an empty list stays an error in both versions.
MOST: dict[str, Any] = {
    "id": "most",
    "kind": "comparison",
    "buggy": {
        "most.py": (
            "def most(values):\n    best = values[0]\n    for value in values:\n"
            "        if value < best:\n            best = value\n    return best\n"
        )
    },
    "fixed": {
        "most.py": (
            "def most(values):\n    best = values[0]\n    for value in values:\n"
            "        if value > best:\n            best = value\n    return best\n"
        )
    },
    "tests": {
        "test_most.py": (
            "from most import most\n\n\n"
            "def test_most():\n    assert most([3, 1, 2]) == 3\n\n\n"
            "def test_last():\n    assert most([1, 2, 5]) == 5\n\n\n"
            "def test_one():\n    assert most([7]) == 7\n"
        ),
        "pytest.ini": "[pytest]\n",
    },
}


def json_lines(path: Path, *tasks: Mapping[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return path


def humanevalpack(path: Path) -> Path:
    """Two lines as the data set has them; one names its candidate otherwise, one keeps state."""
    first = {
        "task_id": "Python/0",
        "entry_point": "half",
        "declaration": "def half(number: int) -> int:\n",
        "prompt": "def half …",
        "buggy_solution": "    return number // 3\n",
        "canonical_solution": "    return number // 2\n",
        "bug_type": "value misuse",
        "test": (
            "def check(candidate):\n    assert True\n    assert candidate(4) == 2\n"
            "    start = 8\n    assert candidate(start) == 4\n\ncheck(half)"
        ),
    }
    second = first | {
        "task_id": "Python/1",
        "entry_point": "last",
        "declaration": "def last(items: list) -> object:\n",
        "buggy_solution": "    return items[0]\n",
        "canonical_solution": "    return items[-1]\n",
        "test": "def check(last):\n    assert last([1, 2]) == 2\n\ncheck(last)",
    }
    return json_lines(path, first, second)


def quixbugs(root: Path) -> Path:
    """A checkout: programs by pytest over JSON cases, by pytest, by cases alone, by a script."""
    conftest = (
        "import pytest\n\n\n"
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--correct', action='store_true')\n"
        "    parser.addoption('--runslow', action='store_true')\n\n\n"
        "def pytest_configure(config):\n"
        "    pytest.use_correct = config.getoption('--correct')\n"
        "    pytest.run_slow = config.getoption('--runslow')\n"
    )
    loader = (
        "import json\nfrom pathlib import Path\n\n\n"
        "def load_json_testcases(name):\n"
        "    path = Path(__file__).parent / '..' / f'json_testcases/{name}.json'\n"
        "    with open(path) as file:\n        return [json.loads(line) for line in file]\n"
    )
    add = "def add(a, b):\n    return a {} b\n"
    chain = "def chain(node):\n    while node.successor:\n        node = node.successor\n"
    return write(
        root,
        {
            "conftest.py": conftest,
            "python_programs/add.py": add.format("-"),
            "python_programs/chain.py": chain + "    return node\n",
            "python_programs/count.py": "def count(n):\n    for i in range(n):\n        yield i\n",
            "python_programs/graph.py": "def graph():\n    return 1\n",
            "python_programs/graph_test.py": "print('a script')\n",
            "python_programs/node.py": "class Node:\n    successor = None\n",
            "correct_python_programs/add.py": add.format("+"),
            "correct_python_programs/chain.py": chain + "    return node.value\n",
            "correct_python_programs/count.py": (
                "def count(n):\n    for i in range(n + 1):\n        yield i\n"
            ),
            "correct_python_programs/graph.py": "def graph():\n    return 2\n",
            "correct_python_programs/node.py": "class Node:\n    successor = None\n",
            "python_testcases/load_testdata.py": loader,
            "python_testcases/node.py": "class Node:\n    successor = None\n",
            "python_testcases/test_add.py": (
                "import pytest\nfrom load_testdata import load_json_testcases\n\n"
                "if pytest.use_correct:\n"
                "    from correct_python_programs.add import add\nelse:\n"
                "    from python_programs.add import add\n\n"
                "CASES = load_json_testcases(add.__name__)\n\n\n"
                "@pytest.mark.parametrize('given,expected', CASES)\n"
                "def test_add(given, expected):\n    assert add(*given) == expected\n"
            ),
            "json_testcases/add.json": "[[2, 1], 3]\n[[0, 0], 0]\n",
            "python_testcases/test_chain.py": (
                "import pytest\nfrom node import Node\n\n"
                "if pytest.use_correct:\n"
                "    from correct_python_programs.chain import chain\nelse:\n"
                "    from python_programs.chain import chain\n\n\n"
                "def test_chain():\n    node = Node()\n    node.value = 4\n"
                "    assert chain(node) == 4\n"
            ),
            "json_testcases/count.json": "[[2], [0, 1, 2]]\n[0, [0]]\n",
        },
    )


def bugsinpy(root: Path) -> Path:
    """One project with a clone and one without; the fix brings its test along."""
    clone = write(
        root / "checkouts" / "greeter",
        {"greet.py": GREET.replace(" + name", ""), "old.txt": "x\n", "tests/__init__.py": ""},
    )
    git(clone, "init", "-q", "-b", "main")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "buggy")
    buggy = git(clone, "rev-parse", "HEAD").strip()
    write(clone, {"greet.py": GREET, "added.py": "X = 1\n", "tests/test_greet.py": GREET_TESTS})
    git(clone, "rm", "-q", "old.txt")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "fixed")
    fixed = git(clone, "rev-parse", "HEAD").strip()
    patch = git(clone, "diff", buggy, fixed, "--", "greet.py", "added.py", "old.txt")
    info = (
        'python_version="3.11.0"\n'
        f'buggy_commit_id="{buggy}"\nfixed_commit_id="{fixed}"\n'
        'test_file="tests/test_greet.py"\n'
    )
    lost = info.replace(fixed, "f" * 40)
    bug = {"bug.info": info, "bug_patch.txt": patch, "requirements.txt": "attrs==19.3.0\n"}
    one = bug | {
        "run_test.sh": (
            "pytest tests/test_greet.py::test_greet\n"
            "python -m pytest tests/test_greet.py::test_shout\n"
        )
    }
    two = bug | {
        "bug.info": f'pythonpath="greeter/build/lib/;greeter/test/"\n{info}',
        "run_test.sh": "python tests/test_greet.py Greet.test_greet\r\n",
    }
    ten = one | {"bug.info": lost}
    for project in ("greeter", "absent"):
        for number, files in (("1", one), ("2", two), ("10", ten)):
            write(root / "projects" / project / "bugs" / number, files)
        write(root / "projects" / project, {"project.info": 'status="OK"\n'})
    return root
