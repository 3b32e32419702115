"""Anything that writes JUnit's XML."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.runners import Request, detect, run
from clew.runners.dialects.junit import ReportRefused, read
from clew.words.errors import UsageError
from clew.words.facts import CaseOutcome, Phase, Runner, TestCommand, TestRun, Verdict
from projectplay import Play, outcomes

REPORT = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="shop" tests="5" failures="1" errors="1" skipped="1">
    <properties><property name="os" value="linux"/></properties>
    <testcase classname="shop.CartTest" name="adds" time="0.25"/>
    <testcase classname="shop.CartTest" name="lasts" time="1,000.5">
      <failure message="expected: &lt;3&gt; but was: &lt;1&gt;" type="org.junit.ComparisonFailure">
<![CDATA[org.junit.ComparisonFailure: expected: <3> but was: <1>
	at org.junit.Assert.assertEquals(Assert.java:117)
	at shop.Cart.total(Cart.java:3)
	at shop.CartTest.lasts(CartTest.java:12)]]></failure>
      <system-out>words</system-out>
    </testcase>
    <testcase classname="shop.CartTest" name="dies"><error message="boom"/></testcase>
    <testcase classname="shop.CartTest" name="later"><skipped/></testcase>
    <testcase name="adds" classname="shop.CartTest"/>
  </testsuite>
</testsuites>
"""
JAVA = {
    "src/main/java/shop/Cart.java": "package shop;\nclass Cart {\n  int total() { return 1; }\n}\n",
    "src/test/java/shop/CartTest.java": "package shop;\n" * 12,
}


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def play_run(
    play: Play, script: str, *, request: Request | None = None, junit: str = "out/*.xml"
) -> TestRun:
    play.write({"run.sh": "#!/bin/sh\n" + script})
    (play.root / "run.sh").chmod(0o755)
    command = command_of(play, "./run.sh", junit)
    site = play.site(command)
    shutil.copy2(play.root / "run.sh", play.worktree)
    return run(site, command, request or Request(), play.scratch).run


def command_of(play: Play, flag: str, junit: str | None = None) -> TestCommand:
    return detect(
        play.root,
        play.root,
        flag=flag,
        settings=None,
        junit=junit,
        root=play.root,
        scratch=play.scratch,
    )


def test_every_case_of_a_report_is_a_test(play: Play) -> None:
    """Outcome, seconds, crash and output are those of the report; twins are told apart."""
    play.write({"report": REPORT, **JAVA})

    seen = play_run(play, "mkdir -p out; cp report out/a.xml; exit 1\n")

    assert {
        "shop.CartTest::adds": "passed",
        "shop.CartTest::lasts": "failed",
        "shop.CartTest::dies": "error",
        "shop.CartTest::later": "skipped",
        "shop.CartTest::adds (2)": "passed",
    } == outcomes(seen)
    lasts = seen.results[1]
    assert (Verdict.FAILED, 1000.5) == (seen.verdict, lasts.seconds)
    assert lasts.crash is not None
    assert ("AssertionError", "expected: <3> but was: <1>") == (
        lasts.crash.type,
        lasts.crash.message,
    )
    assert [
        ("src/test/java/shop/CartTest.java", 12),
        ("src/main/java/shop/Cart.java", 3),
    ] == [(frame.path, frame.line) for frame in lasts.crash.frames]
    assert "words" in lasts.output


def test_a_report_from_before_the_run_is_not_read(play: Play) -> None:
    """What was there and is there unchanged says nothing; neither does a fresh date on it."""
    play.write({"out/old.xml": REPORT})

    left = play_run(play, "exit 0\n")
    again = play_run(play, "cat out/old.xml > out/new.xml; touch -d 2001-01-01 out/new.xml\n")

    assert (Verdict.DID_NOT_RUN, True, ()) == (left.verdict, left.infrastructure, left.results)
    assert "out/*.xml" in left.reason
    assert (Verdict.FAILED, 5) == (again.verdict, len(again.results))


def test_wanted_tests_are_looked_at_alone(play: Play) -> None:
    """The whole runs, and what was not asked for has no say."""
    play.write({"report": REPORT})
    only = Request(only=("shop.CartTest::adds",))

    seen = play_run(play, "mkdir out; cp report out/a.xml; exit 1\n", request=only)

    assert (Verdict.PASSED, ["shop.CartTest::adds"]) == (seen.verdict, list(outcomes(seen)))


def test_a_red_run_without_a_report_is_one_fact(play: Play) -> None:
    """So it is when the code does not compile: the places that the output names are its frames."""
    play.write({"src/cart.c": "int x\nint y;\n"})

    built = play_run(play, "echo 'src/cart.c:2:1: error: expected ;'; exit 2\n")
    bare = play_run(play, "echo words; exit 2\n")

    assert [Verdict.FAILED] * 2 == [built.verdict, bare.verdict]
    (result,) = built.results
    assert (Phase.COLLECT, "./run.sh") == (result.phase, result.id)
    assert result.crash is not None
    assert [("src/cart.c", 2)] == [(f.path, f.line) for f in result.crash.frames]


HOSTILE = {
    "entities": '<!DOCTYPE a [<!ENTITY b "bbb">]><testsuite><testcase name="&b;"/></testsuite>',
    "outside": '<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>',
    "torn": "<testsuite><testcase name='a'>",
    "deep": "<a>" * 10_000,
    "empty": "",
    "letters": "<testsuite>\x00</testsuite>",
    "encoding": '<?xml version="1.0" encoding="none-such"?><testsuite/>',
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_report_is_refused(tmp_path: Path, kind: str) -> None:
    """No entity is expanded and nothing outside is read; a torn document is no report."""
    with pytest.raises(ReportRefused):
        read(written(tmp_path / "a.xml", HOSTILE[kind]))


def test_a_report_that_is_no_file_is_refused(tmp_path: Path) -> None:
    """A link is not followed, and a pipe is not waited for."""
    (tmp_path / "link.xml").symlink_to(written(tmp_path / "real.xml", REPORT))
    os.mkfifo(tmp_path / "pipe.xml")

    for name in ("link.xml", "pipe.xml", "none.xml"):
        with pytest.raises(ReportRefused):
            read(tmp_path / name)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_report_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Nothing that a run writes raises anything else."""
    path = tmp_path_factory.getbasetemp() / "any.xml"
    path.write_bytes(b"<testsuite>" + data + b"</testsuite>")
    try:
        read(path)
    except ReportRefused:
        return


def test_a_report_that_cannot_be_read_is_said(play: Play) -> None:
    """The run counts for nothing then, and the file is named."""
    seen = play_run(play, "mkdir out; echo '<testsuite>' > out/torn.xml\n")

    assert Verdict.DID_NOT_RUN is seen.verdict
    assert "torn.xml" in seen.reason


@pytest.mark.parametrize("pattern", ["/etc/*.xml", "../out.xml", ""])
def test_reports_lie_in_the_project(play: Play, pattern: str) -> None:
    """A pattern that leads out of the folder is refused."""
    play.write({"a": ""})

    with pytest.raises(UsageError):
        command_of(play, "make test", pattern)


def test_what_is_known_to_write_reports_needs_no_word(play: Play) -> None:
    """Maven and Gradle are looked for where they write; ctest is told where to."""
    play.write({"a": ""})

    for flag in ("mvn -q test", "./gradlew test", "ctest --test-dir build", "phpunit"):
        assert Runner.JUNIT is command_of(play, flag).runner
    assert Runner.COMMAND is command_of(play, "mvn clean").runner
    assert any("surefire" in place for place in command_of(play, "mvn test").reports)


def test_a_case_without_an_outcome_passed(tmp_path: Path) -> None:
    """Elements that are not known change nothing."""
    text = "<testsuite><testcase name='a'><properties/><rerunFailure/></testcase></testsuite>"

    assert [("a", CaseOutcome.PASSED)] == [
        (case.name, case.outcome) for case in read(written(tmp_path / "a.xml", text))
    ]
