from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

import msgspec
import pytest

from clew.gates.secrets import added_lines, judged, known_forms
from clew.words.gates import GateFinding
from clew.words.settings import Settings
from gatekit import FAIL, NOT_RUN, PASS, WARN, Work

# Put together, so that no text of this repository is one.
AWS = "AKIA" + "QYLPMN5HHHFPZAM2"
PASSWORD = "hunter2" + "hunter2"

DIFF = """\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,4 @@
 kept
-gone
+new
+++ b/not-a-file
 kept
@@ -10 +11,2 @@ def f
 kept
+last
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""


def test_only_added_lines_are_looked_at() -> None:
    """Each has its number in the new file; what was taken away or stood there is not."""
    assert {"a.py": {2: "new", 3: "++ b/not-a-file", 12: "last"}} == added_lines(DIFF)


def test_a_secret_in_an_added_line_fails_and_is_not_shown(work: Work) -> None:
    """File, line and kind are; the secret is in no part of the result."""
    base = work.begin({"a.py": f"key = '{AWS}'\n", "tests/test_a.py": ""})
    head = work.change(
        {
            "a.py": f"key = '{AWS}'\n\n\npassword = '{PASSWORD}'\n",
            "b.py": f"\nother = '{AWS}'\n",
            "c.py": f"password = '{PASSWORD}'  # pragma: allowlist secret\n",
            "tests/test_a.py": f"password = '{PASSWORD}'\n",
            "package-lock.json": f'{{"password": "{PASSWORD}"}}\n',
        }
    )
    result = work.run("secrets", base=base, head=head)["secrets"]
    assert FAIL == result.status
    assert {
        ("a.py:4", "Secret Keyword"),
        ("b.py:2", "AWS Access Key"),
        ("tests/test_a.py:1", "Secret Keyword"),
    } == {(each.place, each.text) for each in result.findings}
    told = msgspec.json.encode(result).decode()
    assert not {AWS, PASSWORD} & {word for word in (AWS, PASSWORD) if word in told}


def test_what_tests_make_up_and_what_looks_like_chance_is_a_warning() -> None:
    """It may be a secret; a person may look."""
    made_up = GateFinding(path="tests/test_a.py", line=1, text="Secret Keyword")
    chance = GateFinding(path="a.py", line=1, text="Hex High Entropy String")
    lines = {"a.py": {1: ""}}
    assert WARN == judged(lines, (), (made_up, chance)).status
    key = GateFinding(path="tests/test_a.py", line=2, text="AWS Access Key")
    assert FAIL == judged(lines, (), (made_up, chance, key)).status
    assert PASS == judged(lines, (), ()).status


def test_a_known_form_is_not_lost_to_a_doubtful_find_in_its_line() -> None:
    """The more certain of two has the say."""
    lines = {"a.py": {1: f"key = '{AWS}'"}}
    doubtful = GateFinding(path="a.py", line=1, text="Base64 High Entropy String")
    assert FAIL == judged(lines, tuple(known_forms(lines)), (doubtful,)).status


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f"key = '{AWS}'", True),
        ("[redacted]", False),
        ("url = f'postgres://{user}:{password}@{host}'", False),
        ("plain = 'words'", False),
    ],
)
def test_known_forms_need_no_library(line: str, *, found: bool) -> None:
    """What Clew keeps out of its own records; a gap to be filled in is none."""
    assert found == bool(list(known_forms({"a.py": {1: line}})))


def test_without_the_library_it_did_not_run_and_says_what_to_install(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known forms are looked for all the same, and one of them fails."""
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "detect_secrets" else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    base = work.begin({"a.py": ""})
    work.change({"a.py": f"password = '{PASSWORD}'\n"})
    missing = work.run("secrets", base=base)["secrets"]
    assert (NOT_RUN, False) == (missing.status, missing.required)
    assert "clew[secrets]" in missing.summary
    work.change({"a.py": f"key = '{AWS}'\n"})
    assert FAIL == work.run("secrets", base=base)["secrets"].status


def test_a_scan_that_gives_no_answer_has_to_be_run(work: Work) -> None:
    """Time that is up is no pass."""
    base = work.begin({"a.py": ""})
    work.change({"a.py": "x = 1\n"})
    result = work.run("secrets", base=base, settings=Settings(gate_timeout=0.001))["secrets"]
    assert (NOT_RUN, True, True) == (result.status, result.required, "time" in result.summary)
