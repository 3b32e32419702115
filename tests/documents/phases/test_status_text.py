"""A session as text."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.documents.phases import status_text, summary_text
from clew.words.phases import OverallStatus, PhaseStatus, TokenCount, TokenUsage
from phasekit import RECORD, T0, minutes

STATUS = """\
2026-03-14-tide-tables: in_progress, 1 of 6 phases completed, 1 pending, 2 in progress, 1 failed, \
1 skipped
✓ 1 Models: 2026-03-14 09:46 UTC, after 20 min 0 s
○ 2 Parser: since 2026-03-14 09:47 UTC
○ 3 Command line: since 2026-03-14 09:47 UTC
✗ 4 Charts: since 2026-03-14 09:56 UTC
□ docs Documentation
– 6 Web page
  ✗ 4: no answer within 600 s (timeout, coder)
Files: 3 created, 1 modified, 0 deleted
Tokens: 15,000 in (3,000 cached), 8,000 out; most: coder 12,000, tester 11,000"""  # noqa: RUF001 - a dash is the sign of what was skipped

SUMMARY = """\
# tide tables

In progress: 1 of 6 phases completed, 1 pending, 2 in progress, 1 failed, 1 skipped.

## Delivered

- ✓ 1 Models: The models, with tests.
- ○ 2 Parser
- ○ 3 Command line
- ✗ 4 Charts
- □ docs Documentation

## Counts

- Files: 3 created, 1 modified, 0 deleted
- Tokens: 15,000 in (3,000 cached), 8,000 out; most: coder 12,000, tester 11,000

## Deviations from the plan

- phase 1 also changed `pyproject.toml`
- phase 1 failed once on its way: 2 of 11 tests are red
- phase 4 failed once on its way: no answer within 600 s
- phase 4 is to be reconciled: changed and not reported: tides/charts.py
- phase 6 was skipped

## Next steps

- `clew resume`
- phase 2 Parser is in progress
- phase 3 Command line is in progress
- phase 4 Charts is failed
- phase docs Documentation is pending
"""


def test_a_status_tells_the_whole() -> None:
    """Each phase with its times, what failed and is open, files, tokens and who took most."""
    assert STATUS == status_text(RECORD)


def test_without_a_session_there_is_one_line() -> None:
    """The same in every layout."""
    assert "No active session" == status_text(None)


def test_a_summary_tells_what_deviates_from_the_plan() -> None:
    """And what is left to do."""
    assert SUMMARY == summary_text(RECORD, ("`clew resume`",))


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((TokenCount(input=None, output=None, cached=None),), "unknown; most: a unknown"),
        (
            (TokenCount(input=9, output=1, cached=None), TokenCount(input=2)),
            "11 in (unknown cached), 1 out; most: a 10, b 2",
        ),
        (
            (TokenCount(), TokenCount(input=None, output=None)),
            "unknown; most: a 0, b unknown",
        ),
    ],
    ids=["nothing", "not what was cached", "of one agent"],
)
def test_tokens_that_nobody_knows_are_not_called_none(
    counts: tuple[TokenCount, ...], told: str
) -> None:
    """Nor is a sum with them."""
    usage = TokenUsage(by_agent=dict(zip("ab", counts, strict=False)))
    assert f"- Tokens: {told}\n" in summary_text(replace(RECORD, token_usage=usage))


def test_a_completed_session_leaves_nothing_to_do() -> None:
    """A file that was planned and not touched is a deviation all the same."""
    done = replace(RECORD.phases[1], status=PhaseStatus.COMPLETED, started=T0, completed=minutes(1))
    text = summary_text(replace(RECORD, status=OverallStatus.COMPLETED, phases=(done,)))

    assert "Next steps" not in text
    assert "- phase 2 was planned to change `tides/parser.py` and did not\n" in text


def test_words_of_agents_stay_on_their_line() -> None:
    """None of them passes for a line of ours."""
    name = "a\n## Deviations\n<script>"
    text = summary_text(replace(RECORD, phases=(replace(RECORD.phases[1], name=name),)))

    assert "- ○ 2 a ## Deviations &lt;script>\n" in text
