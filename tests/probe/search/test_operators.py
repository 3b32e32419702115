"""Each operator reaches the faults it is for, and every patch is a program."""

from __future__ import annotations

import ast
import gc
import itertools
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.probe.search.context import Context
from clew.probe.search.frontier import Frontier, spots
from clew.probe.search.operators import FAMILIES, MODULES, OPERATORS
from clew.probe.search.operators.calls import WRAPPERS
from clew.probe.search.request import edits_of, whole_lines
from clew.probe.search.source import Patch, Source, SourceLines, Splice, apply_changes
from searchplay import ideas, patches

TWINS = """\
def f(a, b):
    c = d = 0
    if 10 in a and len(a) > 1:
        for i in range(1, len(a)):
            c += a[i] * 2
    else:
        c = sum(a)
    if 10 in b and len(b) > 1:
        for i in range(1, len(b)):
            d += b[i] * 2
    else:
        d = sum(b)
    return c, d
"""
PAIRED = """\
class A:
    def add(self, row):
        if not row:
            return None
        with self.lock:
            self.rows[row] += 1  # one more
            self.log.append({"add": row})

    def drop(self, row):
        '''Say {so}.'''
        if not row:
            return None
        with self.lock:
            self.rows[row] -= 1
            self.log.append({"drop": row})
"""

REACHED = [
    ("twin", TWINS.replace("        for i in range(1, len(b)):\n    ", ""), "", TWINS),
    ("twin", TWINS.replace("sum(b)", "sum(a)"), "d = sum(a)", "d = sum(b)"),
    ("twin", PAIRED.replace('            self.log.append({"drop": row})\n', ""), "", PAIRED),
    ("twin", PAIRED.replace("        if not row:\n            return None\n", "", 1), "", PAIRED),
    ("twin", PAIRED.replace('"drop": row', '"drop": self'), '"drop": self', '"drop": row'),
    ("unit", "def f(a):\n    return g(a.km, a.minutes)\n", "a.minutes", "a.minutes * 60"),
    ("unit", "def f(wait_ms):\n    sleep(wait_ms)\n", "sleep(wait_ms)", "sleep(wait_ms / 1000)"),
    ("unit", "def f(cents):\n    return -cents + 1\n", "-cents", "-(cents / 100)"),
    ("taken in", ("def f(a, b):\n    return [max(len(c[d]) for c in b)"
     " for d in range(len(a.e))]\n"), "(len(c[d]) for c in b)",
     "(len(a.e[d]), *(len(c[d]) for c in b))"),
    ("taken in", "def f(a):\n    for b in a:\n        g(min(c for c in b.d))\n",
     "min(c for c in b.d)", "min(b, *(c for c in b.d))"),
    ("f-string", "def f(a):\n    return f'{len(a) - 1} b'\n", "len(a) - 1", "len(a)"),
    ("f-string", "def f(a):\n    return f'{len(a) - 1} b'\n", "- 1", "- 2"),
    ("f-string", "def f(a):\n    return f'{a + 1} b'\n", "+ 1", "+ 2"),
    ("f-string", "def f(a):\n    return f'{a} b'\n", "{a}", "{a + 1}"),
    ("wraps", ("import functools\n\n\ndef f(a):\n    def g(*b):\n        return a(*b)\n"
     "    return g\n"), "    def g(*b):\n", "    @functools.wraps(a)\n    def g(*b):\n"),
    ("own class", "class A:\n    def f(self, b):\n        return A(b)\n", "A(b)",
     "type(self)(b)"),
    ("own class", "class A:\n    def f(cls, b):\n        return A(b)\n", "A(b)", "cls(b)"),
    ("once", "def f(a):\n    return [b.c for b in a if b]\n", "[b.c for b in a if b]",
     "list(dict.fromkeys([b.c for b in a if b]))"),
    ("once", "def f(a):\n    for b in a.c:\n        print(b)\n", "a.c", "list(dict.fromkeys(a.c))"),
    ("key", "def f(a):\n    return sorted(a, key=lambda b: (b[1], b[0]))\n", "(b[1], ", "(-b[1], "),
    ("key", "def f(a):\n    return sorted(a, key=lambda b: (b[1], -b[0]))\n", "-b[0]", "b[0]"),
    ("key", "def f(a):\n    return sorted(a, key=lambda b: (b[1], b[0]), reverse=True)\n",
     "b: (b[1], b[0]), reverse=True", "b: (-b[1], b[0])"),
    ("reset", ("def f(a):\n    a.b = None\n    return a\n\n\ndef g(a):\n    a.c += 1\n"),
     "a.b = None\n", "a.b = None\n    a.c = 0\n"),
    ("reset", ("class A:\n    def __init__(self):\n        self.a = 1\n        self.b = []\n\n"
     "    def f(self):\n        self.a = 0\n"), "        self.a = 0\n",
     "        self.a = 0\n        self.b = []\n"),
    ("reset", ("class A:\n    def __init__(self):\n        self.a = False\n        self.n = 0\n\n"
     "    def f(self):\n        self.a = True\n\n    def g(self):\n        self.n += 1\n"),
     "self.a = True\n", "self.a = True\n        self.n = 0\n"),
    ("reset", ("class A:\n    def __init__(self):\n        self.a = ''\n        self.b = []\n\n"
     "    def f(self):\n        self.a = 'x'\n\n    def g(self, c):\n        self.b.append(c)\n"),
     "self.a = 'x'\n", "self.a = 'x'\n        self.b = []\n"),
    ("gathered", "def f(a):\n    b = {}\n    for c in a:\n        b[c] = 1\n    return b\n",
     "b[c] = 1", "b[c] = b.get(c, 0) + 1"),
    ("gathered", "def f(a, b):\n    for c, d in a:\n        b.e[c] = [d]\n", "= [d]",
     "= b.e.get(c, []) + [d]"),
    ("gathered", "def f(a, b):\n    for c, d in a:\n        b[c] = d or 1\n", "d or 1",
     "b.get(c, 0) + (d or 1)"),
    ("gathered", "def f(a, b):\n    for c, d in a:\n        b[c] = d | 1\n", "d | 1",
     "b.get(c, 0) + (d | 1)"),
    ("gathered", "def f(a, b):\n    for c, d in a:\n        b[c] = d * 2\n", "d * 2",
     "b.get(c, 0) + d * 2"),
    ("key", "def f(a):\n    return sorted(a.items(), key=lambda b: b[1])\n", "b: b[1]",
     "b: (b[1], b[0])"),
    ("key", "def f(a):\n    return sorted(a.items(), key=lambda b: -b[1])\n", "b: -b[1]",
     "b: (-b[1], b[0])"),
    ("key", "def f(a):\n    return sorted(a, key=lambda b: b.c, reverse=True), a.d\n",
     "b: b.c, reverse=True", "b: (-b.c, b.d)"),
    ("variable", "def f(a, b):\n    c = a[b]\n    a[b] = 0\n    g(a[b])\n", "g(a[b])", "g(c)"),
    ("library", "def f(a):\n    return a.split(',')\n", "a.split(',')",
     "[part.strip() for part in a.split(',')]"),
    ("library", "def f(a):\n    return round(a)\n", "round(a)", "int(a + 0.5)"),
    ("overlap", ("def f(a, b):\n    return a.start <= b.start < a.end or"
     " a.start < b.end <= a.end\n"), "a.start <= b.start < a.end or a.start < b.end <= a.end",
     "a.start < b.end and b.start < a.end"),
    ("overlap", ("def f(start, end, other_start, other_end):\n"
     "    return start <= other_start <= end\n"), "start <= other_start <= end",
     "start <= other_end and other_start <= end"),
    ("library", "def f(a, b):\n    return a.startswith(b)\n", "a.startswith(b)",
     "(a + '/').startswith(b + '/')"),
    ("library", "def f(a, b):\n    return a.startswith(b), '.'\n", "a.startswith(b)",
     "(a == b or a.startswith(b + '.'))"),
    ("library", "def f(a):\n    return g(**a)\n", "**a",
     "**{key: value for key, value in a.items() if value is not None}"),
    ("regroup", "def f(a, b, c):\n    return a and b or c\n", "b or c", "(b or c)"),
    ("regroup", "def f(a, b, c):\n    return a or b and c\n", "a or b", "(a or b)"),
    ("returned early", ("def f(a):\n    for b in a:\n        if b:\n            return True\n"
     "        else:\n            return False\n"), "        else:\n            return False",
     "    return False"),
    ("swallowed", ("def f(a):\n    for b in a:\n        try:\n            return b()\n"
     "        except A:\n            c(b)\n"), "            c(b)\n",
     "            c(b)\n    raise A\n"),
    ("super", ("class A:\n    def f(self, a):\n        pass\n\n\nclass B(A):\n"
     "    def f(self, a):\n        return a\n"), "        return",
     "        super().f(a)\n        return"),
    ("library", "def f(a):\n    return json.dumps(a)\n", "dumps(a)", "dumps(a, sort_keys=True)"),
    ("library", "import re\n\n\ndef f(a, b):\n    return re.search(a, b)\n", "search(a,",
     "search(re.escape(a),"),
    ("library", "def f(a):\n    return ', '.join(a)\n", "join(a)", "join(map(str, a))"),
    ("library", "def f(a, b):\n    return a * b // 100\n", "a * b // 100",
     "(a * b + 50) // 100"),
    ("library", "def f(a):\n    return '|'.join(a)\n", "join(a)",
     "join(sorted(a, key=len, reverse=True))"),
    ("library", "def f(a):\n    return max(b.c for b in a)\n", "max(b.c for b in a)",
     "max((b.c for b in a), default=0)"),
    ("library", "def f(a):\n    return list(set(a))\n", "list(set(a))", "list(dict.fromkeys(a))"),
    ("library", "def f(a):\n    return a.lstrip('0')\n", "a.lstrip('0')", "a.lstrip('0') or '0'"),
    ("library", "def f(a, b):\n    return a // b\n", "a // b", "-(-a // b)"),
    ("library", "def f(a, b):\n    return b in a\n", "b in a", "a.startswith(b)"),
    ("comes around", "def f(a, b):\n    return b[a + 1]\n", "a + 1", "(a + 1) % len(b)"),
    ("comes around", "def f(a, b):\n    return abs(a - b)\n", "abs(a - b)",
     "min(abs(a - b), 360 - abs(a - b))"),
    ("comes around", "def f(a, b):\n    return a - b\n", "a - b", "(a - b + 180) % 360 - 180"),
    ("library", "def f(a):\n    return a.split(':')\n", "(':')", "(':', 1)"),
    ("wrap both", "def f(a, b):\n    return a == b\n", "a == b", "a.date() == b.date()"),
    ("uncompared", ("from dataclasses import dataclass, field\n\n\n@dataclass(order=True)\n"
     "class A:\n    a: int\n    b: str = 'c'\n"), "b: str = 'c'",
     "b: str = field(default='c', compare=False)"),
    ("compared together", "def f(a, b):\n    return a.c <= b.c and a.d < b.d\n",
     "a.c <= b.c and a.d < b.d", "(a.c, a.d) < (b.c, b.d)"),
    ("comes around", "def f(a, b, c=8):\n    return a + b\n", "a + b", "(a + b) % 8"),
    ("attribute", "def f(a):\n    return a.lstrip('ab')\n", "lstrip", "removeprefix"),
    ("key", "def f(a):\n    a.c = sorted(a, key=lambda b: b.d)\n", "b: b.d", "b: (b.d, b.c)"),
    ("changed in loop", "def f(a):\n    for b in a.c:\n        a.c.remove(b)\n", "in a.c:",
     "in list(a.c):"),
    ("changed in loop", "def f(a):\n    for b, c in a.items():\n        del a[b]\n",
     "a.items()", "list(a.items())"),
    ("grouped", "def f(a, k):\n    return [(b, list(c)) for b, c in groupby(a, k)]\n",
     "groupby(a,", "groupby(sorted(a, key=k),"),
    ("equally long", "def f(a, b):\n    return all(c == d for c, d in zip(a, b))\n",
     "all(", "len(a) == len(b) and all("),
    ("bound late", "def f(a):\n    for b in a:\n        g(lambda: h(b))\n", "lambda:",
     "lambda b=b:"),
    ("bound late", "def f(a):\n    return [lambda c: c + b for b in a]\n", "lambda c:",
     "lambda c, b=b:"),
    ("bound late", ("def f(a):\n    for b in a:\n        def c():\n            return b\n"
     "        g(c)\n"), "def c():", "def c(b=b):"),
    ("cleanup", "def f(a):\n    a.b()\n    yield a\n    a.c()\n    a.d()\n",
     "    yield a\n    a.c()\n    a.d()\n",
     "    try:\n        yield a\n    finally:\n        a.c()\n        a.d()\n"),
    ("spared", "def f(a, n):\n    while a:\n        n += a.pop(0)\n    return n\n",
     "    while", "    a = list(a)\n    while"),
    ("spared", "def f(a, n):\n    a.setdefault(n, 1)\n    a[n] = 2\n    return a\n",
     "    a.set", "    a = dict(a)\n    a.set"),
    ("none check", "def f(a, b):\n    return g(a) or g(b) or 1\n", "g(a) or g(b) or 1",
     "next((value for value in (g(a), g(b)) if value is not None), 1)"),
    ("none check", "def f(a):\n    return g(a) or 1\n", "g(a) or 1",
     "next((value for value in (g(a),) if value is not None), 1)"),
    ("used up", "def f(a):\n    n = sum(b for b in a)\n    return [b / n for b in a]\n",
     "    n =", "    a = list(a)\n    n ="),
    ("used up", "def f(a):\n    c = (b for b in a)\n    return max(c) - min(c)\n",
     "(b for b in a)", "list(b for b in a)"),
    (
        "default",
        ("class A:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n"
        "    def f(self, x):\n        return self.a.get(x)\n"),
        ".get(x)",
        ".get(x, self.b)",
    ),
    ("unit", "def f(a, b):\n    return timedelta(minutes=a.f() + b)\n", "minutes=a.f() + b",
     "seconds=a.f(), minutes=b"),
    ("unit", "def f(a):\n    return dt.timedelta(minutes=a)\n", "minutes", "hours"),
    (
        "take back",
        ("class A:\n    def add(self, a):\n        self.rows.append(a)\n        self.b -= a.n * 2\n"
        "    def undo(self):\n        return self.rows.pop()\n"),
        "        return self.rows.pop()",
        "        a = self.rows.pop()\n        self.b += a.n * 2\n        return a",
    ),
    (
        "take back",
        ("class A:\n    def add(self, a):\n        self.n += 1\n        self.rows.append(a)\n"
        "    def drop(self, a):\n        self.rows.remove(a)\n"),
        "        self.rows.remove(a)",
        "        self.rows.remove(a)\n        self.n -= 1",
    ),
    ("wrap", "def f(a):\n    return [x or 0 for x in a]\n", "x or 0", "int(x or 0)"),
    (
        "move",
        ("def f(a):\n    if a < 3:\n        a += 1\n    if a == 2:\n        raise ValueError\n"
        "    g(a)\n    return a\n"),
        "",
        ("def f(a):\n    if a == 2:\n        raise ValueError\n    g(a)\n    if a < 3:\n"
        "        a += 1\n    return a\n"),
    ),
    (
        "move",
        "def f(a):\n    'F.'\n    g(a)\n    h(a)\n    a.b = 1\n",
        "",
        "def f(a):\n    'F.'\n    a.b = 1\n    g(a)\n    h(a)\n",
    ),
    ("pattern", "def f(a):\n    return re.match(r'(\\d)h(\\d\\d)m', a)\n", r"(\d)h(\d\d)m",
     r"(\d+)h(\d+)m"),
    ("slice moved", "def f(a, n):\n    return sorted(a[:n], key=len)\n", "sorted(a[:n], key=len)",
     "sorted(a, key=len)[:n]"),
    ("slice moved", "def f(a, n):\n    return list(reversed(a[:n]))\n", "list(reversed(a[:n]))",
     "list(reversed(a))[:n]"),
    ("slice moved", "def f(a, n):\n    return sorted(a, key=len)[:n]\n", "sorted(a, key=len)[:n]",
     "sorted(a[:n], key=len)"),
    (
        "attribute",
        "def f(a, b):\n    return (b - a).seconds // 60\n",
        "(b - a).seconds",
        "int((b - a).total_seconds())",
    ),
    (
        "one of many",
        ("def f(rows):\n    try:\n        bad = 0\n        for row in rows:\n            g(row)\n"
        "            h(row)\n    except ValueError:\n        bad += 1\n    return bad\n"),
        "",
        ("def f(rows):\n    bad = 0\n    for row in rows:\n        try:\n            g(row)\n"
        "            h(row)\n        except ValueError:\n            bad += 1\n    return bad\n"),
    ),
    (
        "fresh attribute",
        "class A:\n    rows = []\n    def __init__(self, a):\n        self.a = a\n",
        "        self.a = a",
        "        self.rows = []\n        self.a = a",
    ),
    (
        "fresh element",
        "def f(days):\n    return dict.fromkeys(days, [])\n",
        "dict.fromkeys(days, [])",
        "{key: [] for key in days}",
    ),
    (
        "fresh element",
        "def f(days, row):\n    start = list(row)\n    return dict.fromkeys(days, start)\n",
        "dict.fromkeys(days, start)",
        "{key: list(start) for key in days}",
    ),
    ("fresh element", "def f(n, row: set):\n    return [row] * n\n", "[row] * n",
     "[set(row) for _ in range(n)]"),
    ("fresh element", "def f(n):\n    return [[0] * 3] * n\n", "[[0] * 3] * n",
     "[[0] * 3 for _ in range(n)]"),
    (
        "deep copy",
        "class A:\n    def f(self, key):\n        return self.kept[key]\n",
        "",
        (
            "from copy import deepcopy\n"
            "class A:\n    def f(self, key):\n        return deepcopy(self.kept[key])\n"
        ),
    ),
    (
        "deep copy",
        "import copy\ndef f(base):\n    out = copy.copy(base)\n    return out\n",
        "copy.copy(base)",
        "copy.deepcopy(base)",
    ),
    (
        "deep copy",
        "import copy\ndef f(base):\n    out = dict(base)\n    return out\n",
        "dict(base)",
        "copy.deepcopy(base)",
    ),
    (
        "deep copy",
        "import copy\ndef f(base, own):\n    return {**base, **own}\n",
        "{**base, **own}",
        "copy.deepcopy({**base, **own})",
    ),
    (
        "alike comparisons",
        "def f(a):\n    if a > 9:\n        return 2\n    if a > 3:\n        return 1\n",
        "",
        "def f(a):\n    if a >= 9:\n        return 2\n    if a >= 3:\n        return 1\n",
    ),
    ("comparison", "def f(a, b):\n    return a < b\n", "a < b", "a <= b"),
    ("comparison", "def f(a, b):\n    return a in b\n", "a in b", "a not in b"),
    (
        "twins",
        "def f(a, b):\n    return a.x <= b.y and b.x <= a.y\n",
        "a.x <= b.y and b.x <= a.y",
        "a.x < b.y and b.x < a.y",
    ),
    (
        "twins",
        "def f(a, b):\n    return a.x <= b.y and a.y >= b.x\n",
        "a.x <= b.y and a.y >= b.x",
        "a.x < b.y and a.y > b.x",
    ),
    ("boolean", "def f(a, b, c):\n    return a and b and c\n", "a and b and c", "a or b or c"),
    ("drop condition", "def f(a, b):\n    return a > 1 and b\n", "a > 1 and b", "a > 1"),
    ("negation", "def f(a, g):\n    if g(a):\n        return 1\n", "if g(a)", "if not g(a)"),
    (
        "extend condition",
        "def f(x, y, z):\n    if x + y == z:\n        return 1\n",
        "x + y == z",
        "x + y == z or x + z == y",
    ),
    (
        "lost condition",
        "def f(x, y, z):\n    return (x + y == z) or (y + z == x)\n",
        "(y + z == x)",
        "(y + z == x) or (x + z == y)",
    ),
    ("new condition", "def f(a, b):\n    if a > b:\n        return a\n", "a > b", "b > a"),
    ("filter", "def f(a):\n    return [x for x in a]\n", "in a]", "in a if x is not None]"),
    ("arithmetic", "def f(a, b):\n    return a - b\n", "a - b", "a % b"),
    ("augmented assignment", "def f(a):\n    a -= 2\n    return a\n", "-=", "//="),
    ("augmented assignment", "def f(a):\n    n = 0\n    n = a\n    return n\n", "n = a", "n += a"),
    ("augmented assignment", "def f(a):\n    n = 0\n    for b in a:\n        n = b\n", "n = b",
     "n = max(n, b)"),
    ("index", "def f(a):\n    return [n for n in a][-1]\n", "[n for n in a][-1]",
     "sum([n for n in a])"),
    (
        "dead store",
        "def f(x):\n    a, b = x\n    c, d = x\n    a = b * c\n    d = c * b\n    return a * d\n",
        "    a = b * c\n    d = c * b\n",
        "",
    ),
    ("comment", "def f(a):\n    # a += 1\n    return a\n", "# a += 1", "a += 1"),
    ("comment", "def f(a):\n    # The next:\n    # a += 1\n    return a\n", "# a += 1", "a += 1"),
    ("comment", "def f(a):\n    # if a:\n    #     return 1\n    return a\n",
     "# if a:\n    #     return 1", "if a:\n        return 1"),
    ("comment", "def f(a):\n    '''b = a\n    return b'''\n", "'''b = a\n    return b'''",
     "b = a\n    return b"),
    ("comment", "def f(a):\n    b = a\n    # return b\n\n\nc = 1\n", "# return b", "return b"),
    ("counter", "def f(a):\n    i = 0\n    while a[0] > i:\n        i += 1\n", "a[0]", "a[i]"),
    ("constant", "def f():\n    return float('inf')\n", "'inf'", "'-inf'"),
    ("bare element", "def f(a, xs):\n    return any(x for x in xs)\n", "(x for", "(a == x for"),
    ("bare element", "def f(a, xs):\n    return all(x for x in xs)\n", "(x for", "(x in a for"),
    (
        "bare element",
        "class T:\n  def css(self):\n    pass\n\ndef f(xs):\n  return ''.join(x for x in xs)\n",
        "(x for",
        "(x.css() for",
    ),
    (
        "pattern",
        "import re\n\n\ndef f(a):\n    return re.match(r'(\\d+)(?:\\.\\d+)?s', a)\n",
        r"(\d+)(?:\.\d+)?s",
        r"(\d+(?:\.\d+)?)s",
    ),
    (
        "pattern",
        'import re\n\n\nP = re.compile(r"[a-z]+@(b|bc)")\n',
        "(b|bc)",
        "(bc|b)",
    ),
    (
        "pattern",
        'import re\n\n\nP = re.compile("[a-z]{2}")\n',
        "[a-z]",
        "[a-z0-9]",
    ),
    (
        "swallowed",
        "def f(a):\n  try:\n    if a:\n      raise ValueError(a)\n  except Exception:\n    pass\n",
        "  try:\n    if a:\n      raise ValueError(a)\n  except Exception:\n    pass\n",
        "  if a:\n    raise ValueError(a)\n",
    ),
    ("swallowed", "def f(a):\n  try:\n    g(a)\n  except OSError:\n    return 0\n", "return 0",
     "raise"),
    (
        "swallowed",
        """def f(n, a):\n  for x in a:\n    if not x:\n      raise Bad(n, f'no {x}')\n    try:
      g(x)\n    except ValueError:\n      continue\n""",
        "except ValueError:\n      continue\n",
        "except ValueError as error:\n      raise Bad(n, str(error)) from error\n",
    ),
    (
        "swallowed",
        """class BadError(Exception):\n  def __init__(self, line, message):\n    pass\n
def f(a):\n  for n, line in a:\n    try:\n      g(line)\n    except ValueError:
      continue\n""",
        "except ValueError:\n      continue\n",
        "except ValueError as error:\n      raise BadError(n, str(error)) from error\n",
    ),
    ("slice", "def f(r, key):\n    return r / key[:2] / key\n", "/ key\n", "/ key[2:]\n"),
    (
        "fall through",
        "def f(a):\n  try:\n    return 1 / a\n  except TypeError:\n    raise\n  return 0\n",
        "raise",
        "pass",
    ),
    (
        "unsaved",
        "class A:\n  def g(self):\n    self.b = 1\n\n  def f(self, b):\n    self.c = len(b)\n",
        "    self.c",
        "    self.b = b\n    self.c",
    ),
    ("keyword", "def f(a, n):\n    return [g(a, x=n + 1, y=n + 6), g(a, x=n + 2)]\n", "x=n + 2",
     "x=n + 2, y=n + 7"),
    (
        "super",
        "class A(B):\n  def __init__(self, x):\n    super(A, self)\n    self.y = x\n",
        "super(A, self)",
        "super(A, self).__init__(x)",
    ),
    (
        "super",
        "class A(B):\n  def __init__(self, x):\n    self.y = x\n",
        "    self.y",
        "    super().__init__()\n    self.y",
    ),
    ("wrap", "def f(a):\n    return str(a)\n", "str(a)", "str(a).title()"),
    ("drop operand", "def f(a, b):\n    return a + b + 1\n", "a + b + 1", "a + 1"),
    ("cache key", ("def f(a, b):\n    if a not in kept:\n        kept[a] = g(a, b)\n"
     "    return kept[a]\n"), "", ("def f(a, b):\n    if (a, b) not in kept:\n"
     "        kept[(a, b)] = g(a, b)\n    return kept[(a, b)]\n")),
    ("cache key", ("def f(*args, **kwargs):\n    key = args\n    if key not in kept:\n"
     "        kept[key] = g(*args, **kwargs)\n    return kept[key]\n"), "key = args",
     "key = (args, tuple(sorted(kwargs.items())))"),
    ("cache key", ("class A:\n    def f(self, a, b, c=1):\n        key = b\n"
     "        if key in self.kept:\n            return self.kept[key]\n        self.kept[key] = a\n"
     "        return a\n"), "key = b", "key = (a, b, c)"),
    ("augmented assignment", "def f(a):\n    b = False\n    for c in a:\n        b = True\n",
     "b = True", "b = not b"),
    ("drop operand", "def f(a) -> int:\n    return a == len(a)\n", "a == len(a)", "len(a)"),
    ("swap operands", "def f(a, b):\n    return a // b\n", "a // b", "b // a"),
    ("regroup", "def f(a, b):\n    return a + b * 2\n", "a + b * 2", "(a + b) * 2"),
    ("constant", "def f(a):\n    return a + 1\n", "1", "2"),
    ("constant", "def f(a, default=None):\n    return a or None\n", "or None", "or default"),
    ("constant", "def f(a):\n    return ', '.join(a)\n", "', '", "''"),
    ("constant", "import re\nP = re.compile('^[a-z]+$')\n", "a-z", "a-z0-9"),
    ("named number", "def f(a, k):\n    n = 0\n    n += 1\n    return a[n:]\n", "+= 1", "+= k"),
    ("every constant", "def f(a):\n    b = a + 1\n    return b * 1\n", "", ("def f(a):\n"
     "    b = a + 2\n    return b * 2\n")),
    ("offset", "def f(a):\n    return range(len(a))\n", "range(len(a))", "range(len(a) - 1)"),
    ("offset pair", "def f(a, b, i, j):\n    return a[i] == b[j]\n", "a[i] == b[j]",
     "a[i - 1] == b[j - 1]"),
    ("offset pair", "def f(a, i, j):\n    return a[i - 1][j + 1]\n", "a[i - 1][j + 1]",
     "a[i][j + 1 + 1]"),
    ("every index", "def f(a, i):\n    b = a[i + 1]\n    return a[i + 1] * b + a[i + 1]\n", "",
     "def f(a, i):\n    b = a[i]\n    return a[i] * b + a[i]\n"),
    ("own method", ("class A:\n    def on(self):\n        return [n for n in self.n if n]\n\n"
     "    def f(self):\n        return max(self.n) - len(self.n)\n\n"
     "    def g(self):\n        return sum(self.on())\n"),
     "max(self.n) - len(self.n)", "max(self.on()) - len(self.on())"),
    ("insert", ("class A:\n    def g(self):\n        self.m = {}\n        self.n = {}\n\n"
     "    def f(self, k):\n        self.n[k] -= 1\n"), "self.n[k] -= 1",
     "self.n[k] -= 1\n        self.m[k] -= 1"),
    ("loop step", "def f(a):\n    n = 0\n    while n < len(a):\n        print(a[n])\n",
     "print(a[n])", "print(a[n])\n        n += 1"),
    ("loop step", "def f(a):\n    while a:\n        b = min(a.keys())\n", "b = min(a.keys())",
     "b = min(a.keys())\n        del a[b]"),
    ("slice", "def f(a):\n    return a[1:]\n", "a[1:]", "a[:-1]"[:2] + ":]"),
    ("slice", "def f(a, k):\n    return a[0:1]\n", "a[0:1]", "a[0:k]"),
    ("slice", "def f(a, k):\n    return a[:k]\n", "a[:k]", "a[-k:]"),
    ("index", "def f(a):\n    return a[0]\n", "a[0]", "a"),
    ("element", "def f(a, b):\n    return (a, b)\n", "return (a, b)", "return (b, a)"),
    ("element", "def f(a):\n    return a in [1, 2, 3]\n", "[1, 2, 3]", "[1, 3]"),
    ("element", "def f(a):\n    if a == 'd':\n        return 1\n    return a in (\"b\", \"c\")\n",
     '("b", "c")', '("b", "c", "d")'),
    ("element", "def f(a):\n    b, c = a.split(':')\n    return b, c\n", "return b, c",
     "return int(b), int(c)"),
    ("mapping", "def f(a):\n    return {'a': 1, 'b': 2}[a]\n", "{'a': 1, 'b': 2}",
     "{'a': 2, 'b': 1}"),
    ("dict comprehension", "def f(a):\n    return {k: v for k, v in a}\n", "{k: v", "{v: k"),
    ("sign", "def f(a):\n    return -a\n", "-a", "a"),
    ("variable", "def f(a, b):\n    return a\n", "return a", "return b"),
    ("every use", "def f(a, b):\n    return a + a\n", "a + a", "b + b"),
    ("function", "def f(a):\n    return min(a)\n", "min", "max"),
    ("attribute", "def f(a):\n    return a.lower()\n", "lower", "upper"),
    ("star", "def f(a, g):\n    return g(a)\n", "g(a)", "g(*a)"),
    ("star", "def f(a, g):\n    return g(*a)\n", "g(*a)", "g(a)"),
    ("swap arguments", "def f(a, b, g):\n    return g(a, b)\n", "g(a, b)", "g(b, a)"),
    ("wrap", "def f(a, b):\n    return a - b\n", "a - b", "abs(a - b)"),
    ("wrap", "def f(a):\n    return sorted(a)\n", "sorted(a)", "sorted(set(a))"),
    ("wrap both", "def f(a, b):\n    return a == b\n", "a == b", "set(a) == set(b)"),
    ("cut", "def f(a, k):\n    return sum(a)\n", "sum(a)", "sum(a[:k])"),
    ("unwrap", "def f(a):\n    return a.sort()\n", "a.sort()", "a"),
    ("unwrap", "def f(a):\n    return abs(a)\n", "abs(a)", "a"),
    ("argument", "def f(a):\n    return sorted(a)\n", "sorted(a)", "sorted(a, reverse=True)"),
    ("argument", "def f(a, b, g):\n    return g(a, b)\n", "g(a, b)", "g(a)"),
    ("expression", "def f(a, g):\n    n = len(a)\n    return g(n)\n", "g(n)", "g(len(a))"),
    ("variable wrapped", "def f(a, b):\n    return a / b\n", "a / b", "a / len(a)"),
    ("extend expression", "def f(a, b):\n    return a\n", "return a", "return a * b"),
    ("choice", "def f(a, b):\n    return a if a > b else b\n", "a if a > b else b",
     "b if a > b else a"),
    ("key", "def f(a):\n    return sorted(a, key=lambda x: len(x))\n", "x: len(x)",
     "x: (len(x), x)"),
    ("guard", "def f(a, b):\n    a.append(b)\n    return a\n", "    a.append(b)",
     "    if a != b:\n        a.append(b)"),
    ("early return", "def f(a):\n    return a[0]\n", "    return a[0]",
     "    if not a:\n        return None\n    return a[0]"),
    ("insert", "def f(a):\n    n = 0\n    for x in a:\n        print(x)\n    return n\n",
     "        print(x)", "        print(x)\n        n += 1"),
    ("return", "def f(a):\n    out = a + 1\n    return a\n", "return a", "return out"),
    ("append return", "def f(a):\n    out = a + 1\n", "    out = a + 1\n",
     "    out = a + 1\n    return out\n"),
    ("delete", "def f(a):\n    a += 1\n    return a\n", "    a += 1\n", ""),
    ("move", "def f(a):\n    for x in a:\n        x = x\n        return x\n",
     "        return x\n", "    return x\n"),
    ("branches", "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n    return b\n",
     "        b = 1\n    else:\n        b = 2", "        b = 2\n    else:\n        b = 1"),
    ("loop", "def f(a):\n    if a > 3:\n        a -= 3\n    return a\n", "if", "while"),
    ("exception", "def f(a):\n    raise KeyError(a)\n", "KeyError", "ValueError"),
    ("finished condition", "def f(a, b):\n    while a > 2:\n        a -= b\n", "a > 2", "b"),
    ("default", "def f(a, b=1):\n    return a\n", "b=1", "b=0"),
    ("decorator", "class A:\n    def f(self):\n        return 1\n", "    def f",
     "    @property\n    def f"),
    ("append return", "def f(a):\n    if a:\n        f(a - 1)\n    return a\n", "f(a - 1)",
     "return f(a - 1)"),
    ("nested argument", "def f(a, b, g):\n    return g(len(a, b))\n", "g(len(a, b))",
     "g(len(a), b)"),
    ("nested argument", "def f(a, b, g, k):\n    return g(k(a, b, **a))\n", "g(k(a, b, **a))",
     "g(k(a, **a), b)"),
    ("nested argument", "def f(a, b, g, k):\n    return g(k(a, y=1), b)\n", "g(k(a, y=1), b)",
     "g(k(a), b, y=1)"),
    ("nested argument", "def f(a, b, g, k):\n    return g(k(a), b)\n", "g(k(a), b)",
     "g(k(a, b))"),
    ("nested argument", "def f(a, b, g, k):\n    return g(k(y=a), b, z=1)\n",
     "g(k(y=a), b, z=1)", "g(k(b, y=a), z=1)"),
    ("keyword", "def g(a, key):\n    pass\ndef f(a, key):\n    return g(a)\n", "return g(a)",
     "return g(a, key=key)"),
    ("keyword", "def f(a, w, g, h):\n    return g(a) or h(a, w=w) or w\n", "g(a)", "g(a, w=w)"),
    ("keyword", "def f(a, timeout, g):\n    return g(a)\n", "g(a)", "g(a, timeout=timeout)"),
    ("keyword", "def g(a, deep=False):\n    pass\ndef f(a):\n    return g(a)\n", "return g(a)",
     "return g(a, deep=True)"),
    ("own", "class A:\n    def f(self, b):\n        return self.n < self.n\n", "< self.n", "< b.n"),
    ("await", "async def f(g):\n    return g()\n", "return g()", "return await g()"),
    ("await", "async def f(g):\n    with g():\n        pass\n", "with", "async with"),
    ("yield", "def f(a):\n    yield 1\n    f(a)\n", "    f(a)", "    yield from f(a)"),
    ("yield", "def f(a):\n    yield f(a)\n", "yield f", "yield from f"),
    ("yield", "def f(a):\n    yield from (a, a)\n", "yield from (", "yield ("),
    ("f-string", "def f(a, b):\n    return f'{a:>8}: {a}'\n", ": {a}", ": {b}"),
    ("f-string", "def f(a):\n    return f'{a:.1f}'\n", ".1f", ".2f"),
    ("f-string", ("class A:\n    def __init__(self):\n        self.net = 1\n\n"
     "    def gross(self):\n        return 2\n\n\ndef f(a):\n    return f'{a.net:>7}'\n"),
     "{a.net:>7}", "{a.gross:>7}"),
    ("f-string", "def f(a):\n    return f'<{a.n}, {a}>'\n", "<{a.n}, {a}>", "<{a}, {a.n}>"),
    ("none check", "def f(a):\n    if a:\n        return 1\n", "if a", "if a is not None"),
    ("none check", "def f(a):\n    return a or 1\n", "a or 1", "a if a is not None else 1"),
    ("extend condition", ("class A:\n    def __init__(self):\n        self.b, self.c = 1, 2\n\n\n"
     "def f(a, d):\n    if d is None:\n        return 1\n    return a.b\n"), "d is None",
     "d is None or a.c"),
    ("extend condition", "def f(a):\n    if a.b.c > 1:\n        return 1\n", "a.b.c > 1",
     "a.b is not None and a.b.c > 1"),
    ("own", "class A:\n    def f(self):\n        self.n = 1\n        return n\n", "return n",
     "return self.n"),
    ("own", "class A:\n    def f(self, n):\n        return self.n\n", "self.n", "n"),
    ("swap indexes", "def f(a, x, y):\n    del a[x][y]\n", "a[x][y]", "a[y][x]"),
    ("index", "def f(a):\n    return a.get(1)\n", "a.get(1)", "a[1]"),
    ("other end", "def f(a):\n    return a.pop()\n", "a.pop()", "a.pop(0)"),
    ("other end", "def f(a):\n    return a.b.popleft()\n", "popleft", "pop"),
    ("flag", ("def f(a):\n    end = False\n    r = []\n    if a:\n        end = True\n"
     "    r.append(a)\n    return r\n"), "    return r",
     "    if end:\n        r.append('')\n    return r"),
    ("case", "def f(a):\n    if a is True:\n        return 'True'\n    return a\n",
     "    if a is True", "    if a is None:\n        return 'None'\n    elif a is True"),
    ("case", ("def f(k, a):\n    'One of - and *.'\n    if k == '+':\n        return '+1'\n"
     "    elif k == '*':\n        return '*2'\n"), "    elif k == '*'",
     "    elif k == '-':\n        return '-2'\n    elif k == '*'"),
    ("insert", ("class A:\n    def f(self):\n        self.n += 1\n    def g(self):\n"
     "        print(1)\n"), "print(1)", "print(1)\n        self.n -= 1"),
    ("move", "def f(a):\n    with a:\n        b = 1\n        return b\n", "        return b",
     "    return b"),
    ("fresh default", "def f(a=[]):\n    a.append(1)\n    return a\n", "a=[]):\n",
     "a=None):\n    if a is None:\n        a = []\n"),
    ("copy", ("class A:\n  def __init__(self):\n    self.a, self.b = 1, 2\n    self.a = {}\n"
     "    self.b = set()\n  def f(self):\n    return {'a': self.a, 'b': self.b}\n"),
     "{'a': self.a, 'b': self.b}", "{'a': dict(self.a), 'b': set(self.b)}"),
    ("copy", ("def f(a):\n    b = []\n    g(a)\n    for x in a.b:\n        b.append(x)\n"
     "        yield b\n"), "yield b", "yield list(b)"),
    ("copy", ("class A:\n  def __init__(self, a, b):\n    self.a = a\n    self.b = b\n"
     "  def f(self, x):\n    self.a.append(x)\n    self.b[x] = self.b.setdefault(x, 1)\n"),
     "self.a = a\n    self.b = b", "self.a = list(a)\n    self.b = dict(b)"),
    ("copy", ("class A:\n  def __init__(self):\n    self.a = defaultdict(list)\n"
     "  def f(self):\n    return A(self.a, x=1)\n"), "A(self.a", "A(self.a.copy()"),
    ("copy", ("class A:\n  def __init__(self):\n    self.a = {}\n  def f(self, x):\n"
     "    return self.a.get(x, [])\n"), "return self.a.get(x, [])",
     "return list(self.a.get(x, []))"),
    ("copy", ("class A:\n  def __init__(self, n):\n    self.a = [[0] * n for _ in range(n)]\n"
     "  def f(self):\n    return self.a\n"), "return self.a",
     "return [list(each) for each in self.a]"),
    ("copy", ("class A:\n  def __init__(self):\n    self.a = {}\n  def f(self, x):\n"
     "    self.a.setdefault(x, []).append(x)\n  def g(self):\n    return self.a\n"),
     "return self.a", "return {key: list(value) for key, value in self.a.items()}"),
    ("copy", ("from copy import deepcopy\n\n\ndef f(a: dict, b=None):\n    c = B(a)\n"
     "    return deepcopy(b), c\n"), "B(a)", "B(deepcopy(a))"),
    ("copy", ("class A:\n  def __init__(self, n):\n    self.a = [[0] * n for _ in range(n)]\n"
     "  def f(self):\n    return self.a[:]\n"), "self.a[:]", "[list(each) for each in self.a]"),
    ("copy", ("from copy import deepcopy\n\n\ndef f(a):\n    B(dict(a), deepcopy(a))\n"
     "    return dict(a)\n"), "return dict(a)", "return deepcopy(a)"),
    ("copy", "def f(a: 'List[int]'):\n    b = a[:]\n    return a\n", "return a", "return a[:]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("family", "text", "current", "should_be"),
    REACHED,
    ids=[f"{number}-{row[0]}" for number, row in enumerate(REACHED)],
)
def test_a_family_reaches_its_faults(family: str, text: str, current: str, should_be: str) -> None:
    """Among a family's patches is the one that mends what the family is named after."""
    expected = text.replace(current, should_be, 1) if current else should_be

    assert ast.dump(ast.parse(expected)) in {
        ast.dump(ast.parse(new)) for new in ideas(text, family)
    }


@pytest.mark.parametrize(
    ("family", "text"), list(dict.fromkeys((family, text) for family, text, *_ in REACHED))
)
def test_a_patch_says_what_to_do(family: str, text: str) -> None:
    """By a verb, as a person would be told."""
    told = {patch.description.partition(" ")[0] for patch in patches(text, family)}
    assert not {word for word in told if word in ("or", "and", "also", "pattern") or "`" in word}


@pytest.mark.parametrize(
    ("condition", "weight"),
    [
        ("a.start <= b.end and b.start <= a.end", 0.4),
        ("a.start <= b.end and a.end >= b.start", 0.4),
        ("start_1 <= end_2 and start_2 <= end_1", 0.4),
        ("a.low <= b.x and b.x <= a.high", 1.0),
        ("a.start <= b.end and b.start < a.end", 1.0),
        ("a.start <= b.end and b.other <= a.end", 1.0),
        ("a.start <= b.end and b.start <= a.end and c", 1.0),
    ],
)
def test_one_of_two_bounds_that_mean_the_same_is_seldom_wrong_alone(
    condition: str, weight: float
) -> None:
    """Whether two spans overlap does not depend on which of them is asked."""
    made = patches(f"def f(a, b):\n    return {condition}\n", "comparison")

    first = next(each for each in made if each.description == "replace `<=` by `<`")
    assert weight == pytest.approx(first.weight)


@pytest.mark.parametrize("family", ["cut", "wrap"])
def test_nothing_is_put_into_a_copy_that_is_lost(family: str) -> None:
    """`list(a)[0] = b` changes nothing; into an element of it something may be put."""
    found = ideas("def f(a, b):\n    a[0] = b\n\n\ndef g(a):\n    return [*a]\n", family)

    lost = ("g(a)", "list(a)", "sorted(a)", "a.copy()", "a[1:]", "a[:b]", "a[b:]")
    assert found
    assert not [new for new in found for each in lost if f"{each}[0] =" in new]


@pytest.mark.parametrize(
    ("family", "text"),
    [("constant", "a is not None"), ("constant", "a is None"), ("comparison", "a == 0")],
)
def test_no_number_or_text_is_asked_for_by_identity(family: str, text: str) -> None:
    """Python warns of it, and whether it holds is chance."""
    found = ideas(f"def f(a):\n    return {text}\n", family)

    assert found
    assert not [new for new in found if re.search(r"is (not )?(0|''|\[\]|\{\}|\(\))", new)]


@pytest.mark.parametrize("use", ["b[a]", "{a: b}", "{a}", "a == b"])
def test_no_iterator_is_looked_up_or_compared(use: str) -> None:
    """Each would be a key of its own, that nothing finds again."""
    found = ideas(f"def f(a, b):\n    return {use}\n", "wrap")
    wrapped = [f"{name}(a)" for name in ("enumerate", "iter", "reversed")]
    assert found
    assert not [new for new in found for each in wrapped if each in new]


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    return sum(a)\n",
        "def f(a):\n    a = g(a)\n    return sum(a), max(a)\n",
        "def f(a):\n    return g(a), g(a)\n",
    ],
)
def test_what_is_gone_through_once_is_not_kept(text: str) -> None:
    assert not ideas(text, "used up")


def test_nobody_asks_whether_a_value_is_reversed() -> None:
    text = "def f(a):\n    return isinstance(a, list) or isinstance(a, (tuple, list))\n"
    assert not [each for each in ideas(text, "function") if "reversed" in each or "sorted" in each]
    assert [each for each in ideas(text, "function") if "isinstance(a, set)" in each]


def test_what_is_a_copy_already_is_copied_only_with_what_it_holds() -> None:
    """And what a function made for itself is handed out as it is."""
    text = (
        "class A:\n  def __init__(self, a=None):\n    self.a = dict(a or {})\n    self.b = []\n"
        "  def f(self):\n    made = list(self.b)\n    made.append(1)\n    return made\n"
    )
    assert set() == ideas(text, "copy")


def test_what_is_no_copy_is_not_made_like_another() -> None:
    """Too little is alike, nothing is named otherwise, or the two are the same already."""
    few = "def f(a, b):\n    if a:\n        g(a)\n    if b:\n        h(b)\n"
    other = PAIRED.replace("self.rows[row] -= 1", "self.send(self.made(row, 2), at=self.now())")
    other = other.replace('self.log.append({"drop": row})', "return [x for x in self.rows if x]")
    twice = (
        "def f(a):\n" + 2 * "    for b in a:\n        if b.c > 1 and b.d:\n            g(b, a)\n"
    )
    assert not [*ideas(few, "twin"), *ideas(other, "twin"), *ideas(twice, "twin")]


@pytest.mark.parametrize(
    "use", ["len(days)", "[a for a in days]", "b in days", "days[0]", "days.append(b)", "g(*days)"]
)
def test_a_collection_is_given_in_no_other_unit(use: str) -> None:
    """`days` is often a list of days: a million of them is no amount."""
    assert not list(ideas(f"def f(days, b):\n    g(days)\n    return {use}\n", "unit"))


def test_no_loop_is_left_where_something_follows() -> None:
    """What follows would never run: whoever wants that takes it out."""
    found = ideas("def f(a):\n  for x in a:\n    g(x)\n    h(x)\n    i(x)\n", "insert")
    left = [each.splitlines() for each in found if "break" in each]
    assert {lines.index("    break") for lines in left} == {5}


def test_what_is_taken_out_by_no_name_is_not_counted_back() -> None:
    text = (
        "class A:\n  def add(self, a):\n    self.rows.add(a)\n    self.n += a\n"
        "  def f(self, b):\n    self.rows.discard()\n    self.rows.remove(b[0])\n"
    )
    assert set() == ideas(text, "take back")


def test_what_leaves_a_block_is_not_moved_to_its_start() -> None:
    """All of the block would be dead."""
    found = ideas("def f(a):\n  g(a)\n  h(a)\n  return a\n", "move")
    assert found
    assert not any(each.splitlines()[1] == "  return a" for each in found)


def test_an_object_is_not_given_an_attribute_that_only_others_have() -> None:
    text = (
        "class A:\n  kind = 1\n  def __init__(self, a, b):\n    self.a = a\n    b.append(a)\n"
        "  def f(self):\n    return self.a, self.kind\n"
    )
    found = ideas(text, "attribute")
    assert any("self.kind = a" in each for each in found)
    assert any("return self.kind, self.kind" in each for each in found)
    assert not any("self.append" in each for each in found)


def test_every_family_has_an_example() -> None:
    """No operator goes without proof that it mends something."""
    assert set() == set(FAMILIES) - {family for family, *_ in REACHED}


PIECES = st.sampled_from(
    [
        "{v} = {v} + {n}  # a comment, (with) brackets",
        "if {v} < {n} and not {w}:\n    {w} = [x for x in range({n}) if x]\nelif {w}:\n    pass",
        "for {w} in sorted({v}, key=lambda x: -x):\n    {v} += {w}",
        "{v}, {w} = {w}, {v}",
        "while ({v} +\n       {n}) > {w}:\n    {v} -= 1\n    continue",
        "return {{'ä': {v}, 'b': ({w} * {n})}}['ä']",
        "{w} = 'größe' + str({v}[{n}:])",
        "try:\n    {v} = {w}[{n}]\nexcept (KeyError, IndexError):\n    raise ValueError({v})",
        "with open({v}) as {w}: print({w}, end='')",
        "{v} = {w} if {v} else {n}; {w} = 1e-1{n}",
        "{v}.append(\n    f'{{ {w} }}',\n)",
        "assert {v} is not None, ('a'\n    'b')",
    ]
)
NAMES = st.sampled_from(["a", "b", "größe", "items"])


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function of a few odd statements, indented by spaces or tabs, line ends of either kind."""
    level = draw(st.sampled_from(["    ", "\t", "  "]))
    lines = ["def f(a, b, größe, items=()):"]
    for piece in draw(st.lists(PIECES, min_size=1, max_size=4)):
        text = piece.format(v=draw(NAMES), w=draw(NAMES), n=draw(st.integers(0, 20)))
        lines += [level + line.replace("    ", level) for line in text.split("\n")]
    if draw(st.booleans()):
        lines = ["class C:", *(level + line for line in lines)]
    return draw(st.sampled_from(["\n", "\r\n"])).join([*lines, ""])


@settings(max_examples=30, deadline=None)
@given(programs())
@example("class C:\r\n    def f(a, b=[]):\r\n        for a in sorted(a):\r\n            a += a\r\n")
def test_every_patch_is_a_program_and_another_one(text: str) -> None:
    """Patches parse, differ from the source, and their edits of whole lines say the same."""
    source = Source("code.py", text)
    lines = dict.fromkeys(range(1, len(source.starts)), 1.0)
    frontier = Frontier({"code.py": Context(source)}, spots(source, lines))
    patches = frontier.take(400)

    for patch in patches[::7]:
        new = apply_changes(text, patch.changes)
        ast.parse(new)
        assert new != text
        assert new == carried_out(text, whole_lines(SourceLines(text), patch.changes))


def carried_out(text: str, edits: list[dict[str, object]]) -> str:
    from clew.words import edits as ours  # noqa: PLC0415 - the parent's side of the same promise
    from clew.words.facts import Edit  # noqa: PLC0415

    wanted = [
        Edit(
            path="code.py",
            line=int(str(e["line"])),
            current=str(e["current"]),
            should_be=str(e["should_be"]),
        )
        for e in edits
    ]
    return ours.apply({"code.py": text}, wanted)["code.py"]


class Fixed:
    """A project of one text."""

    def __init__(self, text: str) -> None:
        self.held = text

    def text(self, _path: str) -> str:
        return self.held


def test_an_edit_never_rests_on_an_empty_line() -> None:
    """Text put before an empty line is shown with the line above it."""
    text = "import os\n\n\ndef f():\n    pass\n"
    patch = Patch("a.py", 1, "x", 1.0, "x", (Splice(10, 10, "import re\n"),))

    assert [
        {"path": "a.py", "line": 1, "current": "import os\n", "should_be": "import os\nimport re\n"}
    ] == edits_of(Fixed(text), patch)


def test_the_rest_of_the_line_survives() -> None:
    """Comments, columns of wide letters and odd spacing stay as they were."""
    text = "def f(größe,  b):\n\treturn größe<b   # ä: größe < b\n"

    assert "def f(größe,  b):\n\treturn größe<=b   # ä: größe < b\n" in ideas(text, "comparison")


@pytest.mark.parametrize("switch", [gc.enable, gc.disable])
def test_making_candidates_leaves_the_garbage_collector_as_it_was(
    switch: Callable[[], None],
) -> None:
    """A project may have switched the collector off: its tests still meet it that way."""
    source = Source("code.py", "def f(a, b):\n    return a < b\n")
    frontier = Frontier({"code.py": Context(source)}, spots(source, {2: 1.0}))
    usual = gc.isenabled()
    switch()
    try:
        before, made, after = gc.isenabled(), frontier.take(5), gc.isenabled()
    finally:
        (gc.enable if usual else gc.disable)()
    assert (5, before) == (len(made), after)


def test_operators_are_offered_in_the_order_in_which_their_modules_are_named() -> None:
    """What stands first in the list of modules is tried first among equals."""
    found = [name for name, _ in itertools.groupby(entry.make.__module__ for entry in OPERATORS)]

    assert [module.__name__ for module in MODULES] == found


def test_a_list_is_made_before_what_keeps_less_of_an_iterator() -> None:
    """An iterator was read twice, and a set of what it gives passed as well as a list."""
    likely = dict(WRAPPERS)
    assert likely["list"] > max(likely[kind] for kind in ("frozenset", "set", "sorted", "tuple"))


@pytest.mark.parametrize("handled", ["raise", "return 0", "bad = 1\n        break"])
def test_a_handler_that_leaves_stays_around_its_loop(handled: str) -> None:
    text = "def f(rows):\n    try:\n        for row in rows:\n            g(row)\n"
    assert set() == ideas(f"{text}    except ValueError:\n        {handled}\n", "one of many")


def test_no_element_is_held_against_what_it_is_taken_from() -> None:
    text = "def f(text, least):\n    return [row for row in text.splitlines()]\n"
    made = ideas(text, "filter")
    assert any("if row > least" in each for each in made)
    assert not any("row < text" in each for each in made)


def test_a_loop_that_looks_ahead_ends_one_earlier_first_of_all() -> None:
    text = "def f(a):\n    for i in range(0, len(a)):\n        if a[i + 1]:\n            return 0\n"
    first, *_ = sorted(patches(text), key=lambda patch: -patch.weight)
    assert "range(0, len(a) - 1)" in apply_changes(text, first.changes)


def test_a_value_is_asked_to_be_one_of_constants_alone() -> None:
    """`value.lower() in ("1", self.get(key))` holds for whatever `value` is."""
    found = ideas('def f(a, b):\n    return a in ("yes", "on")\n')
    assert any('in ("yes", "ON")' in each for each in found)
    assert not any('in ("yes", a' in each or 'in ("yes", b' in each for each in found)
    assert any("(1, a)" in each for each in ideas("def f(a):\n    return g((1, 2))\n"))


def test_a_key_is_never_compared_with_what_holds_it() -> None:
    """`if key != held:` always holds, and what was kept is made each time."""
    kept = "def f(a, b):\n    if b not in a:\n        {}\n    return a\n"
    keyed, other = (ideas(kept.format(body), "comparison") for body in ("a[b] = 1", "a += b"))
    assert any("if b in a:" in each for each in keyed)
    assert not any("if b != a:" in each for each in keyed)
    assert any("if b != a:" in each for each in other)


def test_what_is_printed_is_changed_within_the_call() -> None:
    """`print` is a function: its parentheses are no group that may go."""
    assert any("print(len(a))" in each for each in ideas("def f(a):\n    print(a)\n"))


def test_no_parameter_that_may_be_left_out_is_returned_early() -> None:
    """It is None then, which is what is meant: given, it would be returned for no reason."""
    found = ideas("def f(a, b=None):\n    return sum(a) / len(b or a)\n")
    assert any("if not a:\n        return None\n" in each for each in found)
    assert not any("if not a:\n        return b\n" in each for each in found)


@pytest.mark.parametrize("loop", ["for b in a.items():", "for b in sorted(a):"])
@pytest.mark.parametrize(
    ("body", "made"),
    [("        if b:\n            return b\n", False), ("        print(b)\n", True)],
)
def test_a_loop_that_ends_early_goes_through_no_set(loop: str, body: str, *, made: bool) -> None:
    """What it finds first would be chance: three steps of a table came in the right order by it."""
    found = ideas(f"def f(a):\n    {loop}\n{body}")
    sets = [f"in set({inner}):" for inner in ("a", "a.items()", "sorted(a)")]
    assert made is any(each in text for text in found for each in sets)


@pytest.mark.parametrize(
    ("text", "roundabout", "plain"),
    [
        ("def f(a, b):\n    return a * b + 31\n", "a * b + 31 + 1", "a * b + 32"),
        ("def f(a):\n    for b in range(a - 1):\n        print(b)\n", "a - 1 + 1", "range(a)"),
        ("def f(a, b):\n    a.c -= b\n", "a.c -= -b", "a.c += b"),
        ("def f(a, b):\n    return a - b\n", "a - -b", "a + b"),
        ("def f(a):\n    return a + 3 * 2\n", "", "a + 3 * 2 + 1"),
        ("def f(a):\n    return a[0]\n", "a[-0]", "a[1]"),
    ],
)
def test_what_is_said_plainly_is_not_said_in_a_roundabout_way(
    text: str, roundabout: str, plain: str
) -> None:
    """A person would take the two for one change, and no test parts them."""
    found = ideas(text)
    assert any(plain in each for each in found)
    assert not roundabout or all(roundabout not in each for each in found)
