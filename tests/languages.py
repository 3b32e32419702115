"""A small project in each language that Clew hears test by test, with one fault to be mended."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from projects import write

__all__ = ["LANGUAGES", "VITEST", "Language", "installed", "write_project"]


@dataclass(frozen=True)
class Language:
    """What there is, what is red, and what mends it."""

    command: str  # as Clew finds it
    source: str  # where it finds it
    runner: str
    files: dict[str, str]
    red: str
    green: str
    path: str  # of the fault
    line: int
    current: str
    should_be: str
    packages: bool = False  # needs node_modules
    options: tuple[str, ...] = ()


GO = Language(
    command="go test ./...",
    source="go.mod",
    runner="go",
    files={
        "go.mod": "module example.com/shop\n\ngo 1.18\n",
        "cart/cart.go": (
            "package cart\n\n"
            "func Last(items []int) int {\n\treturn items[len(items)]\n}\n\n"
            "func Double(n int) int {\n\treturn n + n\n}\n"
        ),
        "cart/cart_test.go": (
            'package cart\n\nimport "testing"\n\n'
            "func TestDouble(t *testing.T) {\n"
            '\tt.Run("two", func(t *testing.T) {\n\t\tif Double(2) != 4 {\n\t\t\tt.Fail()\n\t\t}\n'
            "\t})\n}\n\n"
            "func TestLast(t *testing.T) {\n"
            '\tif got := Last([]int{1, 2}); got != 2 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'
        ),
    },
    red="example.com/shop/cart::TestLast",
    green="example.com/shop/cart::TestDouble/two",
    path="cart/cart.go",
    line=4,
    current="items[len(items)]",
    should_be="items[len(items)-1]",
)
RUST = Language(
    command="cargo test",
    source="Cargo.toml",
    runner="cargo",
    files={
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        ".gitignore": "target\nCargo.lock\n",
        "src/lib.rs": (
            "pub mod cart;\n\n"
            "/// Twice as much.\n///\n/// ```\n/// assert_eq!(shop::double(2), 4);\n/// ```\n"
            "pub fn double(n: i32) -> i32 {\n    n + n\n}\n\n"
            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn doubles() {\n"
            "        assert_eq!(super::double(3), 6);\n    }\n}\n"
        ),
        "src/cart.rs": "pub fn last(items: &[i32]) -> i32 {\n    items[items.len()]\n}\n",
        "tests/cart.rs": (
            "use shop::cart::last;\n\n"
            "#[test]\nfn last_of_two() {\n    assert_eq!(last(&[1, 2]), 2);\n}\n"
        ),
    },
    red="cart::last_of_two",
    green="shop::tests::doubles",
    path="src/cart.rs",
    line=2,
    current="items[items.len()]",
    should_be="items[items.len() - 1]",
)
_CART = (
    "export function last(items) {\n  return items[items.length].price;\n}\n\n"
    "export const double = (n) => n + n;\n"
)
NODE = Language(
    command="npm test",
    source="package.json",
    runner="node",
    files={
        "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
        "src/cart.js": _CART,
        "test/cart.test.js": (
            "import assert from 'node:assert';\nimport { describe, it, test } from 'node:test';\n"
            "import { double, last } from '../src/cart.js';\n\n"
            "test('doubles', () => {\n  assert.strictEqual(double(2), 4);\n});\n\n"
            "describe('last', () => {\n  it('is the price of the last', () => {\n"
            "    assert.strictEqual(last([{ price: 1 }, { price: 2 }]), 2);\n  });\n});\n"
        ),
    },
    red="test/cart.test.js::last > is the price of the last",
    green="test/cart.test.js::doubles",
    path="src/cart.js",
    line=2,
    current="items[items.length].price",
    should_be="items[items.length - 1].price",
)
_SPEC = (
    "test('doubles (all)', () => {\n  expect(double(2)).toBe(4);\n});\n\n"
    "describe('last', () => {\n  it('is the price of the last', () => {\n"
    "    expect(last([{ price: 1 }, { price: 2 }])).toBe(2);\n  });\n});\n"
)
JEST = Language(
    command="npm test",
    source="package.json",
    runner="jest",
    files={
        "package.json": '{"name": "shop", "scripts": {"test": "jest"}}\n',
        ".gitignore": "node_modules\n",
        "src/cart.js": _CART.replace("export function", "function").replace("export const", "const")
        + "\nmodule.exports = { double, last };\n",
        "test/cart.test.js": "const { double, last } = require('../src/cart');\n\n" + _SPEC,
    },
    red="test/cart.test.js::last > is the price of the last",
    green="test/cart.test.js::doubles (all)",
    path="src/cart.js",
    line=2,
    current="items[items.length].price",
    should_be="items[items.length - 1].price",
    packages=True,
)
# Recorded, since its native parts are not the same on every machine.
VITEST = Language(
    command="npm test",
    source="package.json",
    runner="vitest",
    files={
        "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "vitest"}}\n',
        ".gitignore": "node_modules\n",
        "src/cart.js": _CART,
        "test/cart.test.js": (
            "import { describe, expect, it, test } from 'vitest';\n"
            "import { double, last } from '../src/cart.js';\n\n" + _SPEC
        ),
    },
    red="test/cart.test.js::last > is the price of the last",
    green="test/cart.test.js::doubles (all)",
    path="src/cart.js",
    line=2,
    current="items[items.length].price",
    should_be="items[items.length - 1].price",
    packages=True,
)
# A runner of a team's own: a shell script, and in one spelling a report in JUnit's XML.
_SCRIPT = """\
#!/bin/sh
got=$(sh last.sh 1 2)
bad="<failure message='got $got'>last.sh:2: got $got</failure>"
if [ "$got" = 2 ]; then bad=; fi
"""
JUNIT = Language(
    command="./test.sh",
    source="test.sh",
    runner="junit",
    files={
        "test.sh": _SCRIPT + "mkdir -p out\n"
        "echo \"<testsuite><testcase classname='cart' name='last'>$bad</testcase>"
        "<testcase classname='cart' name='fine'/></testsuite>\" > out/report.xml\n"
        '[ -z "$bad" ]\n',
        "last.sh": '#!/bin/sh\necho "$1"\n',
    },
    red="cart::last",
    green="cart::fine",
    path="last.sh",
    line=2,
    current='echo "$1"',
    should_be='echo "$2"',
    options=("--junit", "out/*.xml"),
)
PLAIN = Language(
    command="./test.sh",
    source="test.sh",
    runner="command",
    files={
        "test.sh": _SCRIPT + 'echo "$bad"; [ -z "$bad" ]\n',
        "last.sh": '#!/bin/sh\necho "$1"\n',
    },
    red="./test.sh",
    green="",
    path="last.sh",
    line=2,
    current='echo "$1"',
    should_be='echo "$2"',
)
LANGUAGES = {
    "go": GO,
    "cargo": RUST,
    "node": NODE,
    "jest": JEST,
    "junit": JUNIT,
    "script": PLAIN,
}


def write_project(root: Path, language: Language) -> Path:
    """Write a language's project, with what its package manager would have installed."""
    write(root, language.files)
    for name in language.files:
        if name.endswith(".sh"):
            (root / name).chmod(0o755)
    if language.packages:
        installed(root)
    return root


def installed(root: Path) -> None:
    """Put the pinned packages of npm beside a project: links to the files, as other tools do."""
    source = Path(sys.prefix) / "javascript" / "node_modules"
    for folder, _, names in os.walk(source):
        place = root / "node_modules" / Path(folder).relative_to(source)
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            file = Path(folder, name)
            if file.is_symlink():
                (place / name).symlink_to(file.readlink())
            else:
                _link(file, place / name)


def _link(file: Path, place: Path) -> None:
    try:
        place.hardlink_to(file)
    except OSError:  # another file system
        shutil.copy2(file, place)
