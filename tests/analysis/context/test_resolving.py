"""What an import means in a repository, told from paths and outlines."""

from __future__ import annotations

import pytest

from clew.analysis.context import Index, Outline, distances, language_of, outline, targets, words_of


class Repository:
    """Files by their paths."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.index = Index(files, {p: t for p, t in files.items() if p.endswith("go.mod")})

    def outline(self, path: str) -> Outline | None:
        language = language_of(path)
        return outline(self.files[path].encode(), language) if language else None

    def uses(self, path: str) -> set[str]:
        return set(targets(path, self.index, self.outline))

    def distances(self, *focus: str) -> dict[str, int]:
        return distances(focus, self.index, self.outline, lambda _: sorted(self.files))


PYTHON = {
    "src/shop/__init__.py": (
        "from shop.cart import total as sum_up\nfrom .prices import *\n"
        "from shop.deep.inner import hidden\n"
    ),
    "src/shop/cart.py": "from . import prices\nfrom .deep.inner import hidden\nimport os\n",
    "src/shop/prices.py": "def price(x): ...\n\nRATE = 2\n",
    "src/shop/deep/__init__.py": "",
    "src/shop/deep/inner.py": "from ..prices import RATE\nfrom ...nowhere import x\n",
    "loose/one.py": "import two\n",
    "loose/two.py": "def two(): import shop.cart\n",
    "spaces/inner/leaf.py": "X = 1\n",
    "main.py": "import spaces.inner.leaf\nfrom spaces.inner import leaf as tree\n",
    "tests/conftest.py": "",
    "tests/test_cart.py": "import shop\n\n\ndef test_it():\n    shop.sum_up(shop.price(1))\n",
    "tests/test_rate.py": "from shop import RATE\n",
    "tests/test_hidden.py": "from shop import hidden\n",
    "tests/test_whole.py": "import shop.deep.inner as i\nimport json\n",
}


@pytest.mark.parametrize(
    ("path", "used"),
    [
        (
            "src/shop/cart.py",
            {"src/shop/__init__.py", "src/shop/prices.py", "src/shop/deep/inner.py"},
        ),
        ("src/shop/deep/inner.py", {"src/shop/prices.py"}),
        ("loose/one.py", {"loose/two.py"}),
        ("loose/two.py", {"src/shop/cart.py"}),
        ("main.py", {"spaces/inner/leaf.py"}),
        (
            "tests/test_cart.py",
            {
                "src/shop/__init__.py",
                "src/shop/cart.py",
                "src/shop/prices.py",
                "tests/conftest.py",
            },
        ),
        (
            "tests/test_rate.py",
            {"src/shop/__init__.py", "src/shop/prices.py", "tests/conftest.py"},
        ),
        (
            "tests/test_hidden.py",
            {"src/shop/__init__.py", "src/shop/deep/inner.py", "tests/conftest.py"},
        ),
        ("tests/test_whole.py", {"src/shop/deep/inner.py", "tests/conftest.py"}),
    ],
)
def test_python_imports_lead_to_files(path: str, used: set[str]) -> None:
    """Through packages, `src`, relative dots, renaming, stars, and names that are passed on."""
    assert used == Repository(PYTHON).uses(path)


OTHERS = {
    "web/app.js": (
        "import { a } from './lib/a.js';\nconst b = require('./b');\nimport x from 'react';\n"
    ),
    "web/b.ts": "export * from './lib';\nconst c = await import('./c');\n",
    "web/c.tsx": "export const C = () => <p/>;\n",
    "web/lib/a.ts": "export const a = 1;\n",
    "web/lib/index.ts": "export { a } from './a';\n",
    "go.mod": "module example.com/shop\n\ngo 1.21\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"example.com/shop/cart"\n)\n',
    "cart/cart.go": "package cart\n",
    "cart/price.go": "package cart\n",
    "cart/cart_test.go": "package cart\n",
    "crate/src/lib.rs": "mod cart;\npub mod deep;\nuse std::fmt;\n",
    "crate/src/cart.rs": "use crate::deep::{inner::Thing, self};\nuse super::other;\n",
    "crate/src/deep/mod.rs": "mod inner;\n",
    "crate/src/deep/inner.rs": "use super::super::cart::total as t;\n",
    "crate/tests/it.rs": "use shop::cart::total;\n",
    "j/src/main/java/a/b/Cart.java": "package a.b;\nimport a.Rate;\nclass Cart { Price p; }\n",
    "j/src/main/java/a/b/Price.java": "package a.b;\nclass Price {}\n",
    "j/src/main/java/a/Rate.java": "package a;\npublic class Rate {}\n",
    "j/src/test/java/a/b/CartTest.java": (
        "package a.b;\nimport static a.Rate.ONE;\nclass CartTest { Cart c; }\n"
    ),
    "c/main.c": '#include "cart.h"\n#include <stdio.h>\n#include <shop/price.h>\n',
    "c/cart.h": "int total(void);\n",
    "c/cart.c": '#include "cart.h"\n',
    "c/include/shop/price.h": "",
    "r/lib/shop/cart.rb": "require 'shop/price'\n",
    "r/lib/shop/price.rb": "",
    "r/test/test_cart.rb": "require_relative '../lib/shop/cart'\nrequire 'minitest'\n",
}


@pytest.mark.parametrize(
    ("path", "used"),
    [
        ("web/app.js", {"web/lib/a.ts", "web/b.ts"}),
        ("web/b.ts", {"web/lib/index.ts", "web/c.tsx"}),
        ("web/lib/index.ts", {"web/lib/a.ts"}),
        ("main.go", {"cart/cart.go", "cart/price.go"}),
        ("cart/cart_test.go", {"cart/cart.go", "cart/price.go"}),
        ("crate/src/lib.rs", {"crate/src/cart.rs", "crate/src/deep/mod.rs"}),
        ("crate/src/cart.rs", {"crate/src/deep/inner.rs", "crate/src/deep/mod.rs"}),
        ("crate/src/deep/inner.rs", {"crate/src/cart.rs"}),
        ("crate/tests/it.rs", {"crate/src/cart.rs"}),
        (
            "j/src/main/java/a/b/Cart.java",
            {"j/src/main/java/a/Rate.java", "j/src/main/java/a/b/Price.java"},
        ),
        (
            "j/src/test/java/a/b/CartTest.java",
            {"j/src/main/java/a/Rate.java", "j/src/main/java/a/b/Cart.java"},
        ),
        ("c/main.c", {"c/cart.h", "c/include/shop/price.h"}),
        ("c/cart.h", {"c/cart.c"}),
        ("r/lib/shop/cart.rb", {"r/lib/shop/price.rb"}),
        ("r/test/test_cart.rb", {"r/lib/shop/cart.rb"}),
    ],
)
def test_other_languages_lead_to_files(path: str, used: set[str]) -> None:
    """By relative paths, modules, packages and crates; what lies outside leads nowhere."""
    assert used == Repository(OTHERS).uses(path)


def test_distance_is_counted_in_imports() -> None:
    """What imports a named file is two steps away; what imports anything else is not near."""
    found = Repository(PYTHON).distances("src/shop/cart.py", "gone.py")

    assert {
        "src/shop/cart.py": 0,
        "src/shop/__init__.py": 1,
        "src/shop/prices.py": 1,
        "src/shop/deep/inner.py": 1,
        "loose/two.py": 2,
        "tests/test_cart.py": 2,
    } == found


def test_an_importer_has_a_word_for_the_file() -> None:
    """By its own name, or its folder's where it stands for the folder."""
    assert {"cart", "shop", "web"} == words_of(
        ["src/shop/cart.py", "src/shop/__init__.py", "web/index.ts"]
    )


def test_imports_in_a_circle_end() -> None:
    """Names that modules pass on to each other for ever lead as far as they are followed."""
    circle = {
        "a/__init__.py": "from .b import *\nfrom .c import name\n",
        "a/b.py": "from a import *\n",
        "a/c.py": "from a import name\nfrom .b import *\n",
    }
    assert {"a/__init__.py", "a/b.py", "a/c.py"} >= Repository(circle).uses("a/c.py")
