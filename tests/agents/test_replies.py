from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.agents.form import printed
from clew.agents.replies import (
    DiagnosisReply,
    FixReply,
    ImplementReply,
    as_diagnosis,
    parse,
    reported,
)
from clew.words.errors import AgentFailed
from clew.words.facts import Category, Cause, Usage

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
        ({"root_cause_location": {"file": "a.py", "line": "four"}}, "line"),
        ({"root_cause_location": {"line": 4}}, "required field `file`.*root_cause_location"),
        ({"root_cause_location": {"file": "a.py", "line": 0}}, "line"),
        ({"confidence": "very"}, "'very' - at `\\$.confidence`"),
        ({"out_of_scop": True}, "unknown field `out_of_scop`"),
        (
            {"fix": {"description": "d", "changes": [{"file": "a.py", "current": "b"}]}},
            "required field `should_be`.*changes",
        ),
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


@pytest.mark.parametrize("name", ["failure_classification", "root_cause", "fix", "confidence"])
def test_a_field_that_is_missing_is_named(name: str) -> None:
    """What has no default has to be said."""
    rest = {key: value for key, value in REPLY.items() if key != name}
    with pytest.raises(AgentFailed, match=f"missing required field `{name}`"):
        parse(json.dumps(rest), DiagnosisReply)


def test_the_first_complaint_is_of_the_whole_answer() -> None:
    """An object inside of a wrong answer is no answer, and no reason to complain of it."""
    text = json.dumps(REPLY | {"confidence": "very"})
    with pytest.raises(AgentFailed, match="confidence"):
        parse(f"Here: {text} That is {{all}}.", DiagnosisReply)


def test_braces_in_texts_do_not_hide_the_last_answer() -> None:
    """A program's braces stand in what it quotes."""
    answer = json.dumps(REPLY | {"root_cause": "the dict ends with }} too early"})
    reply = parse(f"{{ I looked at f(x) {{ … and say {answer} {{ends}}", DiagnosisReply)
    assert "the dict ends with }} too early" == reply.root_cause


@pytest.mark.parametrize(
    "change",
    [{"root_cause": " "}, {"confidence_reason": " "}, {"out_of_scope": True}],
    ids=["no cause", "no reason to be sure", "no reason why out of scope"],
)
def test_an_empty_diagnosis_is_refused(change: dict[str, object]) -> None:
    """Form is not enough: there must be a cause, and a reason where one is asked for."""
    with pytest.raises(AgentFailed, match="empty"):
        as_diagnosis(parse(json.dumps(REPLY | change), DiagnosisReply))


def test_a_guess_recommends_to_investigate() -> None:
    """Of low confidence and without an edit, the first option mends nothing yet."""
    fix = {"description": "rewrite it", "changes": []}
    unsure = REPLY | {
        "confidence": "low",
        "confidence_reason": "the cache was not read",
        "fix": fix,
    }
    diagnosis = as_diagnosis(parse(json.dumps(unsure), DiagnosisReply))
    assert diagnosis.blind
    assert "the cache was not read" == (diagnosis.chosen and diagnosis.chosen.approach)


def test_what_is_printed_is_what_would_be_read() -> None:
    """The form that Clew prints is the form that it asks for, beside two computed axes."""
    axes = {"category": Category.IMPORT_ERROR, "cause": Cause(cause_class="implementation_error")}
    told = printed(as_diagnosis(parse(TEXT, DiagnosisReply)), **axes)  # type: ignore[arg-type]
    record = msgspec.to_builtins(told)
    assert ("import_error", "implementation_error") == (
        record.pop("category"),
        record.pop("cause")["class"],
    )
    assert REPLY == json.loads(json.dumps(record))


@pytest.mark.parametrize(
    ("description", "title"),
    [
        ("Change: start at the front. It is lost.", "Change: start at the front"),
        ("Start the loop earlier: range(n).", "Start the loop earlier: range(n)"),
        ("Change `total()`: the rate for: all", "Change `total()`: the rate for: all"),
        ("Begin at the front; count all", "Begin at the front"),
    ],
)
def test_a_fix_is_named_by_words_that_tell_it_from_others(description: str, title: str) -> None:
    """A colon ends no sentence: what stands before it may be no more than a heading."""
    told = REPLY | {"fix": {"description": description, "changes": []}}
    assert title == as_diagnosis(parse(json.dumps(told), DiagnosisReply)).options[0].title


def test_a_diagnosis_has_the_options_that_were_named_and_no_other() -> None:
    """The step of one says what is replaced, and by what."""
    diagnosis = as_diagnosis(parse(TEXT, DiagnosisReply))
    (option,) = diagnosis.options
    assert "a.py" == option.edits[0].path
    assert ("At a.py, replace `b` by `c`.",) == option.steps


def test_what_an_agent_counts_beside_tokens_is_ignored() -> None:
    """Its answer is not spoiled by it."""
    text = '{"status": "done", "summary": "s", "usage": {"input_tokens": 3, "requests": 1}}'
    assert 3 == parse(text, ImplementReply).usage.input_tokens


@pytest.mark.parametrize(
    ("text", "usage"),
    [
        ('{"x": 1, "usage": {"usd": 0.4, "odd": 2}}', Usage(usd=0.4)),
        ('Sorry:\n```json\n{"root_cause": 3, "usage": {"input_tokens": 7}}\n```', Usage(input=7)),
        ('{"usage": {"usd": -1}}', None),
        ('{"usage": "much"}', None),
        ("no words of it", None),
    ],
)
def test_what_a_call_took_is_known_of_a_reply_that_is_refused(
    text: str, usage: Usage | None
) -> None:
    assert usage == reported(text)
