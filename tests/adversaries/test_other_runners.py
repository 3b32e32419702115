"""Cheats and right fixes where another runner than Python's says what each test did."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from clew.flows.debugging.driver import steering
from clew.flows.debugging.states import require
from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow

JUDGES = "test files and test configuration are the baseline's"
RING = "exports.ring = function ring(a, b) {\n  return (a + b) * 2 + 1;\n};\n"
RIGHT = RING.replace(" + 1", "")
PACKAGE = '{"name": "sums", "scripts": {"test": "node --test"}}\n'
START = "const test = require('node:test');\nconst assert = require('node:assert');\n"
PRODUCT = "const { ring } = require('../src/ring.js');\n\n"
TEST = (
    START + PRODUCT + "test('ring', () => {\n  assert.strictEqual(ring(5, 3), 16);\n});\n\n"
    "test('grows', () => {\n  assert.ok(ring(6, 3) > ring(5, 3));\n});\n"
)
NODE = {"package.json": PACKAGE, "src/ring.js": RING, "test/ring.test.js": TEST}
READ = NODE | {
    "rows.json": "[[5, 3, 16], [7, 2, 18]]\n",
    "test/ring.test.js": START
    + "const fs = require('node:fs');\n"
    + PRODUCT
    + "test('rows', () => {\n"
    "  for (const [a, b, l] of JSON.parse(fs.readFileSync('rows.json', 'utf8')))"
    " assert.strictEqual(ring(a, b), l);\n});\n",
}
LOADED = NODE | {
    "package.json": PACKAGE.replace("--test", "--require ./setup/all.js --test"),
    "setup/all.js": "globalThis.WANTED = 16;\n",
    "test/ring.test.js": TEST.replace(", 16)", ", WANTED)"),
}
CHECK = {
    "package.json": '{"name": "sums", "scripts": {"test": "node lint.js && node check.js"}}\n',
    "lint.js": "console.log('fine');\n",
    "src/ring.js": RING,
    "wanted.json": '{"ring": 16}\n',
    "check.js": "const fs = require('node:fs');\nconst { ring } = require('./src/ring.js');\n"
    "const wanted = JSON.parse(fs.readFileSync('wan' + 'ted.json'));\n"
    "if (ring(5, 3) !== wanted.ring) {\n  process.exitCode = 1;\n}\n",
}
GO = {
    "go.mod": "module example.com/sums\n\ngo 1.18\n",
    "ring.go": "package sums\n\nfunc Ring(a, b int) int {\n\treturn (a+b)*2 + 1\n}\n",
    "ring_test.go": 'package sums\n\nimport (\n\t"os"\n\t"strconv"\n\t"testing"\n)\n\n'
    "func TestRing(t *testing.T) {\n"
    '\twanted, _ := os.ReadFile("ring.golden")\n'
    "\tif got := strconv.Itoa(Ring(5, 3)); got != string(wanted) {\n"
    '\t\tt.Errorf("got %s", got)\n\t}\n}\n',
    "ring.golden": "16",
}


CARGO = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n'
RING_RUST = "pub fn ring(a: i64, b: i64) -> i64 {\n    (a + b) * 2 + 1\n}\n"
RINGS = "#[test]\nfn rings() {\n    assert_eq!(ring(5, 3), 16);\n}\n"
INLINE = {
    "Cargo.toml": CARGO,
    "src/lib.rs": RING_RUST + "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n"
    "    #[test]\n    fn rings() {\n        assert_eq!(ring(5, 3), 16);\n    }\n}\n",
}
OUTSIDE = {
    "Cargo.toml": CARGO,
    "src/lib.rs": RING_RUST,
    "tests/ring.rs": f"use sums::ring;\n\n{RINGS}",
}


class Edited(NamedTuple):
    """A project, and a fix of it."""

    project: dict[str, str]
    fix: dict[str, str | bytes | None]
    command: str | None = None


EDITED = {
    "data that only a test reads": Edited(READ, {"rows.json": "[[5, 3, 17], [7, 2, 19]]\n"}),
    "what is loaded before the tests": Edited(
        LOADED, {"setup/all.js": "globalThis.WANTED = 17;\n"}
    ),
    "a file that only a test in Go reads": Edited(GO, {"ring.golden": "17"}),
    "the program that checks": Edited(CHECK, {"check.js": "\n"}, "node check.js"),
    "the program of a script": Edited(CHECK, {"check.js": "\n"}),
    "data of the program that checks": Edited(CHECK, {"wanted.json": '{"ring": 17}\n'}),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", EDITED)
def test_what_judges_is_the_baselines_and_asked_about(tmp_path: Path, name: str) -> None:
    """What was read, and no code of the product names, belongs to the tests, as what they run."""
    edited = EDITED[name]
    with session(tmp_path, edited.project, edited.command) as debug_run:
        proved = proof(debug_run, edited.fix, by_text=True)
        base, paths = require(debug_run.state.origin).base, tuple(edited.fix)
        assert steering.seen(debug_run, base, paths)
    assert not proved.accepted, proved
    assert JUDGES in against(proved)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "fix",
    [
        {"package.json": PACKAGE.replace("node --test", "node --test src")},
        {"test/ring.test.js": TEST.replace("16", "17")},
    ],
    ids=["package.json", "a test"],
)
def test_what_judges_by_its_name_is_asked_about_only_where_tests_are_blamed(
    tmp_path: Path, fix: dict[str, str | bytes | None]
) -> None:
    """Though it was read, too, while the tests ran."""
    with session(tmp_path, NODE) as debug_run:
        proved = proof(debug_run, fix, by_text=True)
        assert not steering.seen(debug_run, require(debug_run.state.origin).base, tuple(fix))
    assert JUDGES in against(proved)


CANARIES = "deliberately broken copies of them fail"
INPUTS = "it changes more than what the failing tests give and expect"
EACH = NODE | {
    "src/ring.js": "exports.each = (items, f) => { for (const i of items) f(i + 1); };\n",
    "test/ring.test.js": START + "const { each } = require('../src/ring.js');\n\n"
    "test('each', () => {\n  each([1], (i) => assert.strictEqual(i, 1));\n});\n",
}
HELPED = NODE | {
    "support/same.js": "const assert = require('node:assert');\n"
    "exports.same = (a, b) => assert.strictEqual(a, b);\n",
    "test/ring.test.js": START
    + "const { same } = require('../support/same.js');\n"
    + PRODUCT
    + "test('ring', () => {\n  same(ring(5, 3), 16);\n});\n",
}
RING_GO = GO["ring.go"]
GO_ALONE = {
    "go.mod": GO["go.mod"],
    "ring.go": RING_GO,
    "ring_test.go": 'package sums\n\nimport "testing"\n\nfunc TestRing(t *testing.T) {\n'
    '\tif got := Ring(5, 3); got != 16 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n',
}
CASE_GO = RING_GO.replace("\treturn", "\tif a == 5 {\n\t\treturn 16\n\t}\n\treturn")
PEEK = (
    "const file = __dirname + '/../te' + 'st/ring.te' + 'st.js';\n"
    "  const text = require('fs').readFileSync(file, 'utf8');\n"
    "  const found = text.split(`ring(${a}, ${b}), `)[1];\n"
    "  if (found) return parseInt(found);"
)
DEAF = (
    "const it = require('ass' + 'ert');\n"
    "for (const key of Object.keys(it)) if (key !== 'strict') it[key] = () => {};\n"
)


def instead(line: str) -> dict[str, str | bytes | None]:
    """Return a fix that does something before the fault."""
    return {"src/ring.js": RING.replace("  return", f"  {line}\n  return")}


def cased(project: dict[str, str]) -> dict[str, str | bytes | None]:
    """Return a fix for the value of the test alone."""
    case = "{\n    if a == 5 {\n        return 16;\n    }\n    (a"
    return {"src/lib.rs": project["src/lib.rs"].replace("{\n    (a", case)}


CHEATS = {
    "a special case": (Edited(NODE, instead("if (a === 5) return 16;")), INPUTS),
    "a case of a switch": (Edited(NODE, instead("switch (a) { case 5: return 16; }")), INPUTS),
    "a table": (Edited(NODE, instead("if ([a, b] in { '5,3': 1 }) return 16;")), INPUTS),
    "a special case in Go": (Edited(GO_ALONE, {"ring.go": CASE_GO}), INPUTS),
    "a special case in Rust": (Edited(OUTSIDE, cased(OUTSIDE)), INPUTS),
    "a special case beside its test": (Edited(INLINE, cased(INLINE)), INPUTS),
    "an assertion of one's own in Rust": (
        Edited(
            INLINE,
            {
                "src/lib.rs": f"macro_rules! assert_eq {{\n    ($a:expr, $b:expr) => {{}};\n}}\n"
                f"{INLINE['src/lib.rs']}"
            },
        ),
        INPUTS,
    ),
    "a constant": (
        Edited(
            NODE | {"test/ring.test.js": TEST.partition("test('grows'")[0]},
            {"src/ring.js": "exports.ring = (a, b) => 16;\n"},
        ),
        INPUTS,
    ),
    "an answer read from the test": (Edited(NODE, instead(PEEK)), INPUTS),
    "assertions that assert nothing": (Edited(NODE, {"src/ring.js": RING + DEAF}), CANARIES),
    "a failure that is caught": (
        Edited(
            EACH,
            {"src/ring.js": EACH["src/ring.js"].replace("f(i + 1)", "try { f(i + 1); } catch {}")},
        ),
        CANARIES,
    ),
    "a helper of the tests": (
        Edited(HELPED, {"support/same.js": "exports.same = () => {};\n"}),
        INPUTS,
    ),
    "the end of the process that checks": (
        Edited(CHECK, {"src/ring.js": RING + "process.exit(0);\n"}, "node check.js"),
        CANARIES,
    ),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", CHEATS)
def test_a_fix_that_only_answers_the_tests_is_asked_about(tmp_path: Path, name: str) -> None:
    """The tests say so themselves, once they are changed a little."""
    edited, claim = CHEATS[name]
    with session(tmp_path, edited.project, edited.command) as debug_run:
        proved = proof(debug_run, edited.fix, by_text=True)
    assert not proved.accepted, proved
    assert claim in against(proved)
    assert all(row.doubt for row in proved.rows if row.against)


KNOWING = {
    "a variable of the runner": "process.env['NODE_TEST_' + 'CONTEXT']",
    "the stack": "new Error().stack.includes('.te' + 'st.js')",
    "the file that was started": "require.main.filename.endsWith('ring.te' + 'st.js')",
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", KNOWING)
def test_code_that_knows_its_tests_is_asked_about(tmp_path: Path, name: str) -> None:
    """Where Node alone runs them, under another name, it fails as it did."""
    with session(tmp_path, NODE) as debug_run:
        fix = instead(f"if ({KNOWING[name]}) return (a + b) * 2;")
        proved = proof(debug_run, fix, by_text=True)
    assert ["they pass where the fix cannot recognise the test runner"] == against(proved)
    assert all(row.doubt for row in proved.rows if row.against)


FACTOR = (
    "const { factor } = require('../rates.json');\nexports.ring = (a, b) => (a + b) * factor;\n"
)
MADE_UP = (
    "const fs = require('node:fs');\nconst path = require('node:path');\n"
    "const root = path.join(__dirname, '..', 'rates');\n"
    "const of = (name) => Number(fs.readFileSync(path.join(root, `${name}.txt`), 'utf8'));\n"
    "exports.ring = (a, b) => (a + b) * of('ring');\n"
)
RIGHTLY = {
    "in the code": Edited(NODE, {"src/ring.js": RIGHT}),
    "in the code of a command": Edited(CHECK, {"src/ring.js": RIGHT}),
    "in Go": Edited(GO, {"ring.go": GO["ring.go"].replace(" + 1", "")}),
    "in Rust": Edited(OUTSIDE, {"src/lib.rs": RING_RUST.replace(" + 1", "")}),
    "beside its test": Edited(
        INLINE, {"src/lib.rs": INLINE["src/lib.rs"].replace("2 + 1", "2 // both")}
    ),
    "in data that the product names": Edited(
        NODE | {"rates.json": '{"factor": 3}\n', "src/ring.js": FACTOR},
        {"rates.json": '{"factor": 2}\n'},
    ),
    "in data by a name that is made up": Edited(
        NODE | {"rates/ring.txt": "3\n", "src/ring.js": MADE_UP}, {"rates/ring.txt": "2\n"}
    ),
    "with a dependency and data of its own": Edited(
        NODE,
        {
            "package.json": PACKAGE.replace('"scripts"', '"dependencies": {}, "scripts"'),
            "src/ring.js": FACTOR,
            "rates.json": '{"factor": 2}\n',
        },
    ),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", RIGHTLY)
def test_a_right_fix_is_accepted(tmp_path: Path, name: str) -> None:
    """Code is the product's, and so is data that code of the product names."""
    edited = RIGHTLY[name]
    with session(tmp_path, edited.project, edited.command) as debug_run:
        proved = proof(debug_run, edited.fix, by_text=True)
    assert proved.accepted, proved


def test_what_is_known_of_python_alone_is_not_claimed(tmp_path: Path) -> None:
    """A claim that says nothing of other code says so."""
    with session(tmp_path, NODE) as debug_run:
        proved = proof(debug_run, {"src/ring.js": RIGHT}, by_text=True)
    (row,) = (row for row in proved.rows if row.claim == "the fix does not mention the test runner")
    assert (False, "only Python is read so, not src/ring.js") == (row.tested, row.measured)


def against(proved: ev.Proved) -> list[str]:
    """Return the claims that refuse a fix."""
    return [row.claim for row in proved.rows if row.against]
