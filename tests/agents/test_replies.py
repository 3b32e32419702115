from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis, parse
from clew.errors import AgentFailed
from clew.facts import Category

REPLY = {
    "failure_classification": "import_error",
    "root_cause": "a module that does not exist",
    "root_cause_location": {"file": "a.py", "line": 4, "context": "import b"},
    "fix": {
        "description": "import c",
        "changes": [{"file": "a.py", "line": None, "current": "b", "should_be": "c"}],
    },
    "out_of_scope": False,
    "out_of_scope_reason": None,
    "upstream_dependency": None,
    "confidence": "high",
    "confidence_reason": "clear",
}
TEXT = json.dumps(REPLY)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  \n{TEXT}\n",
        f"Here it is:\n```json\n{TEXT}\n```\nBye.",
        f"Thoughts {{not json}} then\n```\n{TEXT}\n```",
        f"I think: {TEXT} is it.",
        f"first {{a}} and at last {TEXT}",
    ],
    ids=["whole", "spaces", "fence", "second fence", "span", "last balanced"],
)
def test_json_is_found_where_agents_put_it(text: str) -> None:
    """Whole text, fenced block, outermost span, last balanced block."""
    reply = parse(text, DiagnosisReply)
    assert Category.IMPORT_ERROR == reply.failure_classification


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"failure_classification": "bad_luck"}, "failure_classification"),
        ({"root_cause": 7}, "root_cause"),
        ({"fix": "do it"}, "fix"),
        ({"root_cause_location": {"line": "four"}}, "line"),
    ],
)
def test_a_reply_of_another_form_is_refused_with_the_place(
    change: dict[str, object], named: str
) -> None:
    """The agent is told what is wrong with it."""
    with pytest.raises(AgentFailed, match=named) as raised:
        parse(json.dumps(REPLY | change), DiagnosisReply)
    assert "invalid_output" == raised.value.kind


@given(st.text(max_size=300))
@settings(deadline=None)
def test_no_text_is_more_than_a_failed_agent(text: str) -> None:
    """Whatever an agent prints, it is read or refused."""
    kind = "read"
    try:
        parse(text, FixReply)
    except AgentFailed as failure:
        kind = failure.kind
    assert kind in ("read", "invalid_output")


def test_a_reply_without_end_is_refused() -> None:
    """Brackets nested deeper than any answer needs are no answer."""
    with pytest.raises(AgentFailed):
        parse('{"x":' + "[" * 100_000 + "]" * 100_000 + "}", FixReply)


@pytest.mark.parametrize("change", [{"root_cause": " "}, {"confidence": "very"}])
def test_an_empty_or_boastful_diagnosis_is_refused(change: dict[str, object]) -> None:
    """Form is not enough: there must be a cause, and a known confidence."""
    with pytest.raises(AgentFailed):
        as_diagnosis(parse(json.dumps(REPLY | change), DiagnosisReply))


def test_a_diagnosis_always_has_two_options() -> None:
    """One fix alone is no choice: mending by hand stands beside it."""
    diagnosis = as_diagnosis(parse(TEXT, DiagnosisReply))
    assert 2 == len(diagnosis.options)
    assert "a.py" == diagnosis.options[0].edits[0].path
