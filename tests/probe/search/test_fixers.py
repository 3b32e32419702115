"""A crash that says what is wrong is mended by what it says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from clew.probe.search.crashes import SearchCrash
from clew.probe.search.files import ProjectSources
from clew.probe.search.fixers import fixes, lines, syntax
from clew.probe.search.request import SearchRequest
from clew.probe.search.source import apply_changes
from searchplay import DebugRun

BROKEN = [
    ("def f(a)\n    return a\n", "def f(a):\n    return a\n"),
    ("if x = 1:\n    y = 2\n", "if x == 1:\n    y = 2\n"),
    ("y = f(1, (2 + 3)\nz = 1\n", "y = f(1, (2 + 3))\nz = 1\n"),
    ("y = (1 + 2))\n", "y = (1 + 2)\n"),
    ("y = [1, 2 3]\n", "y = [1, 2, 3]\n"),
    ("y = {'a': 1\n     'b': 2}\n", "y = {'a': 1,\n     'b': 2}\n"),
    ("y = 'abc\nz = 1\n", "y = 'abc'\nz = 1\n"),
    ('print("abc)\nz = 1\n', 'print("abc")\nz = 1\n'),
    ("def f():\nreturn 1\n", "def f():\n    return 1\n"),
    ("def f():\n    a = 1\n      b = 2\n    return a\n", ("def f():\n    a = 1\n    b = 2\n"
     "    return a\n")),
    ("def f():\n    retrun 1\n", "def f():\n    return 1\n"),
    ("if x:\n    y = 1\nelse if z:\n    y = 2\n", "if x:\n    y = 1\nelif z:\n    y = 2\n"),
    ("if x && y:\n    z = 1\n", "if x  and  y:\n    z = 1\n"),
    ("print 'a'\n", "print('a')\n"),
    ("for x on y:\n    z = 1\n", "for x in y:\n    z = 1\n"),
    ("y = 'it's'\n", "y = 'it\\'s'\n"),
    ("fro a import b\n", "from a import b\n"),
    ("def f():\n<<<<<<< ours\n    return 1\n=======\n    return 2\n>>>>>>> theirs\n",
     "def f():\n    return 1\n"),
    ("def f(a):\n    if a\n        return 1\n\n\ndef g(b)\n    return b\n",
     "def f(a):\n    if a:\n        return 1\n\n\ndef g(b):\n    return b\n"),
    ("def f(i:\n    if i=3:\n        return 'a\n    while i\n        i -= 1\n    return 1\n",
     "def f(i):\n    if i==3:\n        return 'a'\n    while i:\n        i -= 1\n    return 1\n"),
    ("f(a):\n    return a\n", "def f(a):\n    return a\n"),
    ("class A:\n    def f(self):\n        a = 1\n    if a:\n        a = 2\n    return a\n",
     ("class A:\n    def f(self):\n        a = 1\n        if a:\n            a = 2\n"
      "        return a\n")),
    ("class A:\n''' def f(self):\n        a = 1\n        return a'''\n",
     "class A:\n    def f(self):\n        a = 1\n        return a\n"),
    ("def f(self, a: Dict[str, int], b=1):\n    for c in\n        print(c)\n",
     "def f(self, a: Dict[str, int], b=1):\n    for c in a:\n        print(c)\n"),
    ("def f():\n    var a = 1\n    var b, c = 2, 3\n    return a + b\n",
     "def f():\n    a = 1\n    b, c = 2, 3\n    return a + b\n"),
    ("y = [var i + 1, new Thing()]\n", "y = [i + 1, Thing()]\n"),
    ("int total = 0\n", "total = 0\n"),
    ("def f(a):\n    if a:\n        b = 1\n    else:c = a[1:]\n        b = 2\n    return b\n",
     ("def f(a):\n    if a:\n        b = 1\n    else:\n        c = a[1:]\n        b = 2\n"
      "    return b\n")),
    ('def f():\n    """Two."\n    return 1\n\n\ndef g():\n    """Three."""\n',
     'def f():\n    """Two."""\n    return 1\n\n\ndef g():\n    """Three."""\n'),
    ("def f():\n    '''Two.\n    return 1\n", "def f():\n    '''Two.'''\n    return 1\n"),
    ("y = len(0rec) - 1\n", "y = len(rec) - 1\n"),
    ("def f(a):\n    for b in a:\n        a.append(b+1return a\n",
     "def f(a):\n    for b in a:\n        a.append(b+1)\n    return a\n"),
    ("if a == 'C\":\n    b = 1\n", "if a == 'C':\n    b = 1\n"),
    ("y = f(\"a', b)\n", 'y = f("a", b)\n'),
    ("y = sum(1 for a in b if a % 2 = 1)\n", "y = sum(1 for a in b if a % 2 == 1)\n"),
    ("class A:\n    def f(self):\n        return this.b\n\n    def g(a)\n        return null\n",
     ("class A:\n    def f(self):\n        return self.b\n\n    def g(a):\n"
      "        return None\n")),
    ("class A:\n    def f(self)\n        return this.b\n",
     "class A:\n    def f(self):\n        return self.b\n"),
    ("y = int(a][1:, 2)\n", "y = int(a[1:], 2)\n"),
    ("while a:while a[1:] != ':':\n        a = a[1:]\n",
     "while a:\n    while a[1:] != ':':\n        a = a[1:]\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_text_that_is_no_python_is_mended(text: str, expected: str) -> None:
    """Among the repairs is the one a person would make, and each of them parses."""
    found = [new for _, new, _ in syntax.mended(text)]

    for new in found:
        ast.parse(new)
    assert ast.dump(ast.parse(expected)) in {ast.dump(ast.parse(new)) for new in found}


def test_a_quote_of_the_other_kind_is_taken_for_the_end_of_the_text() -> None:
    found = [new for _, new, _ in syntax.mended("if a == 'C\":\n    b = 1\n")]

    assert found[0] == "if a == 'C':\n    b = 1\n"


def test_a_condition_that_is_always_true_is_the_less_likely_repair() -> None:
    """`(i, j in seen)` is a tuple."""
    text = "def f(i, j, seen):\n    if (i, j in seen:\n        return 1\n    return 2\n"

    assert "if (i, j) in seen:" in syntax.mended(text)[0][1]


def test_a_slice_ends_before_a_comma() -> None:
    mended = [new for _, new, _ in syntax.mended("y = int(a][1:, 2)\n")]
    assert mended.index("y = int(a[1:], 2)\n") < mended.index("y = int(a[1:, 2])\n")


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ('found.append(int("i))', "found.append(int(i))"),
        ('found.append(int("k))', 'found.append(int("k"))'),  # nothing of that name is there
    ],
)
def test_a_lone_quote_before_a_name_goes(line: str, mended: str) -> None:
    text = f"found = []\nfor i in 'ab':\n    {line}\n"

    assert f"    {mended}\n" in syntax.mended(text)[0][1]


def test_a_line_that_gives_something_is_not_taken_away() -> None:
    text = "def f(a):\n    return a 1 b [c (d\n"

    assert [] == [words for _, _, words in syntax.mended(text) if "pass" in words]


def test_a_comparison_that_nobody_asks_for_is_the_less_likely_repair() -> None:
    """A name that became another one, in a sum with which a variable is set anew."""
    text = "def f(n):\n    while n > 1: g(n); n - amount = 1\n    return n\n"

    found = [new for _, new, _ in syntax.mended(text)]

    assert "g(n); n -= 1\n" in found[0]


def test_a_head_goes_where_its_block_says() -> None:
    """The block below is one level deeper than the place of the head, not than its neighbour."""
    text = (
        "def f(a, b):\n    for i in a:\n        b[i] = 1\n      for i in b:\n"
        "        if i in a:\n            a.append([var i, 1])\n    return a\n"
    )

    first = syntax.mended(text)[0][1]

    assert "\n    for i in b:\n        if i in a:\n            a.append([i, 1])\n" in first


def test_one_repair_of_a_long_file_is_found_however_unlikely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what several take is bounded."""
    monkeypatch.setattr(syntax, "PARSED", 100)
    text = "x = 1\n" * 100 + "y = 'it's'\n"

    assert any("it\\'s" in new for _, new, _ in syntax.mended(text))


def test_a_long_string_that_is_never_closed_is_looked_through_once() -> None:
    """Each of its lines may be the last one: whoever tries them all never ends."""
    assert [] == list(lines.unquoted('"""' + "a\n" * 100_000))


def project(base: Path, files: dict[str, str]) -> ProjectSources:
    shop = DebugRun(base)
    shop.write(files)
    request = SearchRequest(
        {"root": str(shop.root), "results": str(base / "r"), "forbidden_files": ["test_*.py"]}
    )
    return ProjectSources(request)


def test_what_is_bent_further_than_it_takes_is_not_offered() -> None:
    """Three repairs of a line that one mends may get more tests to pass by chance."""
    text = "def f(a, i):\n    if a[i] == 0 and a[i + 2] = 0 and a[0] == 0: a[i] = 1\n"
    made = [words for _, _, words in syntax.mended(text)]
    assert "line 2: `==` for `=`" == made[0]
    assert not any("drop `]`" in words for words in made)


def texts(held: ProjectSources, crash: SearchCrash) -> list[str]:
    """Return what the fixers make of the first file that each patch changes."""
    found = []
    for patch in fixes(crash, held):
        text = held.text(patch.path)
        assert text is not None
        found.append(apply_changes(text, patch.changes))
        ast.parse(found[-1])
    return found


CASES = [
    ("NameError", "name 'totl' is not defined", ("total", "other"), "", "totl",
     "def f(total):\n    return totl\n", 2, "def f(total):\n    return total\n"),
    ("NameError", "name 'json' is not defined", (), "", "json",
     '"""Doc."""\n\n\ndef f(a):\n    return json.dumps(a)\n', 5,
     '"""Doc."""\nimport json\n\n\ndef f(a):\n    return json.dumps(a)\n'),
    ("NameError", "name 'defaultdict' is not defined", (), "", "defaultdict",
     "import os\n\nd = defaultdict(list)\n", 3,
     "import os\nfrom collections import defaultdict\n\nd = defaultdict(list)\n"),
    ("NameError", "name 'helper' is not defined", (), "", "helper",
     "def f(a):\n    return helper(a)\n", 2,
     "from other import helper\ndef f(a):\n    return helper(a)\n"),
    ("NameError", "name 'size' is not defined", ("self",), "", "size",
     ("class A:\n    def __init__(self):\n        self.size = 1\n\n    def f(self):\n"
     "        return size\n"), 6,
     ("class A:\n    def __init__(self):\n        self.size = 1\n\n    def f(self):\n"
     "        return self.size\n")),
    ("NameError", "name 'target_path' is not defined", ("text",), "", "target_path",
     "def f(target):\n    def g(text):\n        return target_path, text\n    return g\n", 3,
     "def f(target):\n    def g(text):\n        return target, text\n    return g\n"),
    ("NameError", "name 'q' is not defined", ("total",), "", "q",
     "def f(total):\n    return q\n", 2, "def f(total):\n    return total\n"),
    ("NameError", "name 'q' is not defined", ("x", *"abcdefgh"), "", "q",
     "def f(total):\n    def g(x):\n        return q\n    return g\n", 3,
     "def f(total):\n    def g(x):\n        return total\n    return g\n"),
    ("NameError", "name 'FEET' is not defined", (*"ABCDEFGH", "KILO", "FOOT"), "", "FEET",
     "FOOT = 1\nKILO = 2\nYARD = 3 * FEET\n", 3, "FOOT = 1\nKILO = 2\nYARD = 3 * FOOT\n"),
    ("NameError", "name 'index' is not defined", ("items", "zero"), "", "index",
     "def f(items):\n    zero = 0\n    return items[index]\n", 3,
     "def f(items):\n    index = 0\n    return items[index]\n"),
    ("NameError", "name 'infinity' is not defined", (*"abcdefgh", "inf"), "", "infinity",
     "from math import *\n\nx = infinity\n", 3, "from math import *\n\nx = inf\n"),
    ("NameError", "name 'true' is not defined", (), "", "true", "x = true\n", 1, "x = True\n"),
    ("NameError", "name 'this' is not defined", ("self", "i"), "", "this",
     ("class A:\n    def f(self, i):\n        return this.x[i]\n    def g(self):\n"
      "        return this.y\n"), 3,
     ("class A:\n    def f(self, i):\n        return self.x[i]\n    def g(self):\n"
      "        return self.y\n")),
    ("AttributeError", "'list' object has no attribute 'sorted'", ("sort",), "list", "sorted",
     "def f(a):\n    return a.sorted(key=len)\n", 2,
     "def f(a):\n    return sorted(a, key=len)\n"),
    ("UnboundLocalError", "local variable 'N' referenced before assignment", ("N",), "", "N",
     "N = 0\n\n\ndef f():\n    N += 1\n    return N\n", 5,
     "N = 0\n\n\ndef f():\n    global N\n    N += 1\n    return N\n"),
    ("AttributeError", "'list' object has no attribute 'apend'", ("append", "pop"), "list",
     "apend", "def f(a):\n    a.apend(1)\n", 2, "def f(a):\n    a.append(1)\n"),
    ("AttributeError", "'list' object has no attribute 'add'", ("append", "pop"), "list", "add",
     "def f(a):\n    a.add(1)\n", 2, "def f(a):\n    a.append(1)\n"),
    ("AttributeError", "'A' object has no attribute 'total'", ("totl",), "A", "total",
     ("class A:\n    def __init__(self):\n        self.totl = 1\n\n    def f(self):\n"
     "        return self.total\n"), 6,
     ("class A:\n    def __init__(self):\n        self.total = 1\n\n    def f(self):\n"
     "        return self.total\n")),
    ("AttributeError", "'dict' object has no attribute 'has_key'", ("get",), "dict", "has_key",
     "def f(d, k):\n    return d.has_key(k)\n", 2, "def f(d, k):\n    return k in d\n"),
    ("AttributeError", "'A' object has no attribute 'total'", (), "A", "total",
     "class A:\n    def f(self, xs):\n        return self.total(xs)\n", 3,
     "class A:\n    def f(self, xs):\n        return sum(xs)\n"),
    ("AttributeError", "'A' object has no attribute 'my_sort'", (), "A", "my_sort",
     "class A:\n    def f(self, xs):\n        self.my_sort(xs)\n        return xs\n", 3,
     "class A:\n    def f(self, xs):\n        xs.sort()\n        return xs\n"),
    ("AttributeError", "'A' object has no attribute 'get'", (), "A", "get",
     ("class A:\n    def f(self, xs):\n        def get(x):\n            return x\n"
      "        return self.get(xs) + self.get(1)\n"), 5,
     ("class A:\n    def f(self, xs):\n        def get(x):\n            return x\n"
      "        return get(xs) + get(1)\n")),
    ("AttributeError", "'A' object has no attribute 'n'", (), "A", "n",
     ("class A:\n    def __init__(self, n):\n        n = n\n\n    def f(self):\n"
      "        return self.n\n"), 6,
     ("class A:\n    def __init__(self, n):\n        self.n = n\n\n    def f(self):\n"
      "        return self.n\n")),
    ("AttributeError", "'A' object has no attribute 'n'", (), "A", "n",
     ("class A:\n    def __init__(self, n):\n        self.b = 1\n\n    def f(self):\n"
      "        return self.n\n"), 6,
     ("class A:\n    def __init__(self, n):\n        self.n = n\n        self.b = 1\n\n"
      "    def f(self):\n        return self.n\n")),
    ("AttributeError", "'A' object has no attribute 'gone'", (), "A", "gone",
     "class A:\n    def f(self, x):\n        self.gone()\n        return x\n", 3,
     "class A:\n    def f(self, x):\n        return x\n"),
    ("AttributeError", "'A' object has no attribute 'gone'", (), "A", "gone",
     "class A:\n  def f(self, x):\n    if x:\n      x.append(1)\n      self.gone()\n", 5,
     "class A:\n  def f(self, x):\n    if x:\n      x.append(1)\n"),
    ("AttributeError", "'A' object has no attribute 'gone'", (), "A", "gone",
     "class A:\n    def f(self, x):\n        self.gone()\n", 3,
     "class A:\n    def f(self, x):\n        pass\n"),
    ("NameError", "name 'IntList' is not defined", (), "", "IntList",
     "def f(a: IntList, b: int):\n    return a\n", 1, "def f(a, b: int):\n    return a\n"),
    ("ImportError", "cannot import name 'helpr' from 'other'", ("helper",), "other", "helpr",
     "from other import helpr\n\nx = helpr(1)\n", 1,
     "from other import helper\n\nx = helper(1)\n"),
    ("ImportError", "cannot import name 'helper' from 'os'", (), "os", "helper",
     "from os import helper\n", 1, "from other import helper\n"),
    ("ImportError", "cannot import name 'help_me' from 'other'", (), "other", "help_me",
     "x = 1\n", 9, "def help_me(a):\n    return a\n"),
    ("ModuleNotFoundError", "No module named 'othr'", (), "othr", "",
     "from othr import helper\n", 1, "from other import helper\n"),
    ("ModuleNotFoundError", "No module named 'colections'", (), "colections", "",
     "import colections\n\nx = colections.Counter()\n", 1,
     "import collections\n\nx = collections.Counter()\n"),
    ("TypeError", "f() got an unexpected keyword argument 'widht'", ("width",), "", "",
     "def f(width):\n    return width\n\n\ndef g():\n    return f(widht=3)\n", 6,
     "def f(width):\n    return width\n\n\ndef g():\n    return f(width=3)\n"),
    ("TypeError", "f() missing 1 required positional argument: 'b'", (), "", "",
     "def f(a, b):\n    return a + b\n\n\ndef g(a, b):\n    return f(a)\n", 6,
     "def f(a, b):\n    return a + b\n\n\ndef g(a, b):\n    return f(a, b)\n"),
    ("TypeError", "A.f() takes 0 positional arguments but 1 was given", (), "", "",
     "class A:\n    def f():\n        return 1\n", 9,
     "class A:\n    def f(self):\n        return 1\n"),
    ("TypeError", "'int' object is not callable", (), "", "",
     "def f(a):\n    return a.size()\n", 2, "def f(a):\n    return a.size\n"),
    ("TypeError", "'method' object is not subscriptable", (), "", "",
     "def f(a):\n    return a.items[0]\n", 2, "def f(a):\n    return a.items()[0]\n"),
    ("TypeError", 'can only concatenate str (not "int") to str', (), "", "",
     "def f(a):\n    a += 0\n    return a\n", 2, "def f(a):\n    a += '0'\n    return a\n"),
    ("TypeError", 'can only concatenate str (not "int") to str', (), "", "",
     "def f(b):\n    a = ''\n    if b:\n        a += 0\n    a += 1\n    return a\n", 5,
     "def f(b):\n    a = ''\n    if b:\n        a += '0'\n    a += '1'\n    return a\n"),
    ("NameError", "name 'other' is not defined", ("xs", "i"), "", "other",
     "def f(xs):\n    for i in range(3):\n        print(xs[i] - other)\n", 3,
     "def f(xs):\n    for i in range(3):\n        print(xs[i] - xs[i + 1])\n"),
    ("TypeError", 'can only concatenate str (not "int") to str', (), "", "",
     "def f(a, n):\n    return a + ': ' + n\n", 2,
     "def f(a, n):\n    return a + ': ' + str(n)\n"),
    ("TypeError", "unsupported operand type(s) for +=: 'int' and 'str'", (), "", "",
     "def f(a):\n    b = 0\n    for c in a:\n        b += c\n    return b\n", 4,
     "def f(a):\n    b = ''\n    for c in a:\n        b += c\n    return b\n"),
    ("TypeError", "'<' not supported between instances of 'str' and 'int'", (), "", "",
     "def f(a):\n    return a < 3\n", 2, "def f(a):\n    return int(a) < 3\n"),
    ("TypeError", 'can only concatenate list (not "str") to list', (), "", "",
     "def f(a, b):\n    return a + b\n", 2, "def f(a, b):\n    return a + [b]\n"),
    ("TypeError", "'int' object is not iterable", (), "", "",
     "def f(a):\n    return sum(a[0])\n", 2, "def f(a):\n    return sum(a)\n"),
    ("TypeError", "argument of type 'int' is not iterable", (), "", "",
     "def f(a, k):\n    return k in a[k]\n", 2, "def f(a, k):\n    return k in a\n"),
    ("KeyError", "'area'", ("units", "region"), "", "area",
     "def f(row):\n    return {'region': row['area']}\n", 2,
     "def f(row):\n    return {'region': row['region']}\n"),
    ("KeyError", "'sep'", (), "", "sep",
     "def f(text, re_sep):\n    return '^{sep}|{sep}$'.format()\n", 2,
     "def f(text, re_sep):\n    return '^{sep}|{sep}$'.format(sep=re_sep)\n"),
    ("KeyError", "'b'", (), "", "b",
     "def f(a, b):\n    return '{a}{b}'.format(a=a)\n", 2,
     "def f(a, b):\n    return '{a}{b}'.format(a=a, b=b)\n"),
    ("KeyError", "'naem'", ("name", "age"), "", "naem",
     "def f(d):\n    return d['naem']\n", 2, "def f(d):\n    return d['name']\n"),
    ("TypeError", "can't compare offset-naive and offset-aware datetimes", (), "", "",
     "from datetime import datetime\n\n\ndef f(a):\n    return a < datetime.now()\n", 5,
     ("from datetime import datetime, timezone\n\n\ndef f(a):\n"
      "    return a < datetime.now(timezone.utc)\n")),
    ("TypeError", "can't compare offset-naive and offset-aware datetimes", (), "", "",
     "from datetime import datetime\n\n\ndef f(a):\n    return a.b < datetime.utcnow()\n", 5,
     "from datetime import datetime\n\n\ndef f(a):\n    return a.b < datetime.now(a.b.tzinfo)\n"),
    ("TypeError", "can't subtract offset-naive and offset-aware datetimes", (), "", "",
     ("import datetime\n\n\ndef f(a):\n    b = datetime.datetime.fromtimestamp(a.c)\n"
      "    return b - a.b\n"), 6,
     ("import datetime\n\n\ndef f(a):\n"
      "    b = datetime.datetime.fromtimestamp(a.c, datetime.timezone.utc)\n"
      "    return b - a.b\n")),
    ("TypeError", "can't compare offset-naive and offset-aware datetimes", (), "", "",
     ("import time\nfrom datetime import (\n    UTC,\n    datetime,\n)\n\n\ndef f(a):\n"
      "    return a < datetime.now()\n"), 9,
     ("import time\nfrom datetime import (\n    UTC,\n    datetime,\n)\n\n\ndef f(a):\n"
      "    return a < datetime.now(UTC)\n")),
    ("RuntimeError", "cannot reuse already awaited coroutine", (), "", "",
     ("class A:\n    async def f(self, a):\n        if a not in self.b:\n"
      "            self.b[a] = self.c(a)\n        return await self.b[a]\n"), 5,
     ("class A:\n    async def f(self, a):\n        if a not in self.b:\n"
      "            self.b[a] = await self.c(a)\n        return self.b[a]\n")),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{c[0]}" for n, c in enumerate(CASES)])
def test_a_crash_is_mended_by_what_it_says(
    case: tuple[str, str, tuple[str, ...], str, str, str, int, str], tmp_path: Path
) -> None:
    """Names, imports, attributes, keywords and keys: close ones are tried first."""
    kind, message, names, target, missing, text, line, expected = case
    held = project(tmp_path, {"code.py": text, "other.py": "def helper(a):\n    return a\n"})
    path = str(tmp_path / "project" / "code.py")
    crash = SearchCrash(kind, message, ((path, line, "f"),), names, target, missing)

    found = texts(held, crash)

    assert ast.dump(ast.parse(expected)) in [ast.dump(ast.parse(new)) for new in found[:8]]


def test_a_circle_of_imports_is_broken_inside_the_functions(tmp_path: Path) -> None:
    """The import moves to where its names are needed."""
    held = project(
        tmp_path,
        {"one.py": "from two import g\n\n\ndef f():\n    return g()\n", "two.py": "import one\n"},
    )
    crash = SearchCrash(
        "ImportError",
        "cannot import name 'g' from partially initialized module 'two' (circular import)",
        ((str(tmp_path / "project" / "one.py"), 1, "<module>"),),
        (),
        "two",
        "g",
    )

    assert "\n\ndef f():\n    from two import g\n    return g()\n" in texts(held, crash)


def test_a_file_that_does_not_parse_is_found_and_mended(tmp_path: Path) -> None:
    """A collection error disappears; the tests behind it run, and count as what they are."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "lib/__init__.py": "",
            "lib/area.py": "def area(a, b)\n    return a * b\n",
            "tests/test_area.py": "from lib.area import area\n\n\n"
            "def test_area():\n    assert area(2, 3) == 6\n",
            "tests/test_else.py": "def test_else():\n    pass\n",
        }
    )

    answer = shop.search("tests/test_area.py")

    assert ["tests/test_area.py"] == answer.first["turns_green"]
    assert (True, []) == (answer.first["complete"], answer.first["still_red"])
    assert "def area(a, b):\n    return a * b\n" == shop.repaired(answer.first)["lib/area.py"]


def test_an_import_that_fails_is_mended_though_a_test_stays_red(tmp_path: Path) -> None:
    """The candidate says which tests it uncovers: progress, and not the end."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "lib/__init__.py": "from lib.tools import twice_of\n",
            "lib/tools.py": "def twice(n):\n    return n * 3\n",
            "conftest.py": "import lib\n",
            "test_tools.py": "from lib.tools import twice\n\n\n"
            "def test_zero():\n    assert twice(0) == 0\n\n\n"
            "def test_twice():\n    assert twice(2) == 4\n",
        }
    )

    answer = shop.search("conftest.py")

    assert ["conftest.py"] == answer.first["turns_green"]
    assert (False, ["test_tools.py::test_twice"]) == (
        answer.first["complete"],
        answer.first["still_red"],
    )
    assert "import twice" in shop.repaired(answer.first)["lib/__init__.py"]


def test_names_that_fail_one_after_another_are_mended_together(tmp_path: Path) -> None:
    """Neither slip alone turns the test green; a name that is bound somewhere is none."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "calc.py": "def area(width, height):\n    return widht * height\n\n\n"
            "def border(width, height):\n    total = 2 * (width + heigth)\n    return total\n",
            "test_calc.py": "from calc import area, border\n\n\n"
            "def test_both():\n    assert area(2, 3) + border(2, 3) == 16\n",
        }
    )

    answer = shop.search("test_calc.py::test_both")

    assert "return width * height" in shop.repaired(answer.first)["calc.py"]
    assert "2 * (width + height)" in shop.repaired(answer.first)["calc.py"]


NAMES = """\
import os
import json

ROOT = os.pth.join("a", "b")
NAMES = jsn.loads("[1]")


def first(items):
    return items[0]
"""
COLON = """\
from typing import List


def first(items: Lst) -> int
    return items[0]
"""
IMPORT = """\
def first(items: List) -> int
    return items[0]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "right"),
    [
        (NAMES, ("os.path.join", "json.loads")),
        (COLON, ("def first(items: List) -> int:",)),
        (IMPORT, ("def first(items: ", ") -> int:")),
    ],
)
def test_faults_that_keep_a_module_from_loading_one_after_another_are_mended_together(
    tmp_path: Path, module: str, right: tuple[str, ...]
) -> None:
    """With neither repair alone a test runs."""
    shop = DebugRun(tmp_path)
    test = "from calc import first\n\n\ndef test_first():\n    assert first([1, 2]) == 1\n"
    shop.write({"calc.py": module, "test_calc.py": test})

    answer = shop.search("test_calc.py")

    repaired = shop.repaired(answer.first)["calc.py"]
    assert all(words in repaired for words in right), repaired


def test_names_are_mended_together_where_a_star_brings_others(tmp_path: Path) -> None:
    """What there is to read is known from the crash."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "calc.py": "from math import *\n\n\ndef area(width, height):\n"
            "    return widht * height * pi\n\n\n"
            "def border(width, height):\n    return 2 * (width + heigth)\n",
            "test_calc.py": "from calc import area, border\n\n\n"
            "def test_both():\n    assert int(area(2, 3)) + border(2, 3) == 28\n",
        }
    )

    repaired = shop.repaired(shop.search("test_calc.py::test_both").first)["calc.py"]

    assert "return width * height * pi" in repaired
    assert "2 * (width + height)" in repaired


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("text.strip(), split(';')", "text.strip().split(';')"),
        ("[self.remainder_of(n + 7, 5) * 2 for n in (1, len(text))]", "((n + 7) % 5) * 2"),
    ],
)
def test_a_call_of_what_is_not_there_is_mended(tmp_path: Path, line: str, right: str) -> None:
    """A comma for a dot, and a helper that nobody wrote."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "calc.py": f"class Calc:\n    def run(self, text):\n        return {line}\n",
            "test_calc.py": "from calc import Calc\n\n\ndef test_run():\n"
            f"    assert Calc().run(' a;b ') == {['a', 'b'] if 'split' in line else [6, 4]}\n",
        }
    )

    repaired = shop.repaired(shop.search("test_calc.py::test_run").first)["calc.py"]

    assert right in repaired


def test_the_one_that_reads_is_mended_where_a_parameter_has_the_name_as_well(
    tmp_path: Path,
) -> None:
    """To rename what is set would take it from whoever reads it elsewhere."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "users.py": "class User:\n    def __init__(self, name, roles=()):\n"
            "        self.name = name\n        self.roles = set(roles)\n\n"
            "    def is_admin(self):\n        return 'admin' in self.role\n",
            "test_users.py": "from users import User\n\n\n"
            "def test_admin():\n    assert User('a', ['admin']).is_admin()\n"
            "    assert not User('b').is_admin()\n",
        }
    )

    answer = shop.search("test_users.py::test_admin")

    repaired = shop.repaired(answer.first)["users.py"]
    assert "self.roles = set(roles)" in repaired
    assert "'admin' in self.roles" in repaired


@pytest.mark.slow
def test_numbers_among_texts_are_mended_one_behind_another(tmp_path: Path) -> None:
    """The crash is told by the innermost line of the project, not by the one that called it."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "bill.py": "def line(name, price):\n    return name + ': ' + price\n\n\n"
            "def bill(items):\n    text = 0\n    total = 0\n"
            "    for name, price in items:\n        text += line(name, price) + '; '\n"
            "        total += price\n    return text + 'total: ' + total\n",
            "test_bill.py": "from bill import bill\n\n\ndef test_bill():\n"
            "    assert bill([('tea', 2), ('jam', 3)]) == 'tea: 2; jam: 3; total: 5'\n\n\n"
            "def test_empty():\n    assert bill([]) == 'total: 0'\n",
        }
    )

    answer = shop.search("test_bill.py::test_bill", "test_bill.py::test_empty")

    assert answer.first["still_red"] == []
    repaired = shop.repaired(answer.first)["bill.py"]
    assert all(n in repaired for n in ("+ str(price)", "text = ''", "+ str(total)")), repaired


def test_what_an_if_asks_for_is_looped_over_where_nothing_binds_the_name(tmp_path: Path) -> None:
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "calc.py": "def total(count):\n    found = 0\n    if number in range(count):\n"
            "        found += number\n    return found\n",
            "test_calc.py": "from calc import total\n\n\n"
            "def test_total():\n    assert total(4) == 6\n    assert total(6) == 15\n",
        }
    )

    answer = shop.search("test_calc.py::test_total")

    assert "    for number in range(count):\n" in shop.repaired(answer.first)["calc.py"]


def test_a_variable_that_is_lost_is_made_as_its_like(tmp_path: Path) -> None:
    shop = DebugRun(tmp_path)
    code = """def is_latin(rows):
    seen_row = [[False] * len(rows) for _ in rows]
    for i, row in enumerate(rows):
        for j, n in enumerate(row):
            if seen_row[i][n] or seen_col[j][n]:
                return False
            seen_row[i][n] = True
            seen_col[j][n] = True
    return True
"""
    test = """from latin import is_latin


def test_latin():
    assert is_latin([[0, 1], [1, 0]])
    assert is_latin([[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    assert not is_latin([[0, 1], [0, 1]])
    assert not is_latin([[0, 0], [1, 1]])
"""
    shop.write({"latin.py": code, "test_latin.py": test})

    answer = shop.search("test_latin.py::test_latin")

    made = "    seen_col = [[False] * len(rows) for _ in rows]\n"
    assert made in shop.repaired(answer.first)["latin.py"]
