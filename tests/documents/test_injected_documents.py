"""Whatever a text wants, a document that holds it keeps its shape."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from clew.documents import escalation, report, session, summary
from clew.documents.escalation import Escalation
from clew.documents.front_matter import load, plain, split
from clew.documents.views import ProofView, ReportMeta, SessionView, SummaryMeta
from clew.facts import Diagnosis
from filling import filled
from injections import INJECTIONS, obeyed

BY_NAME = pytest.mark.parametrize("text", INJECTIONS.values(), ids=list(INJECTIONS))
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
SLUG = "a_b"


def a_report(text: str) -> str:
    meta = replace(filled(ReportMeta, text), topic=SLUG, status="Closed", severity="High")
    meta = replace(meta, session_id=SLUG, related=(f"debug/{SLUG}/001_a.md",))
    return report.render(replace(filled(Diagnosis, text), recommended=1), meta)


def a_session(text: str) -> str:
    return session.render(_view(text))


def a_session_twice(text: str) -> str:
    return session.update(session.render(_view("x")), _view(text))


def an_escalation(text: str) -> str:
    return escalation.render(_view(text), filled(Escalation, text))


def a_summary(text: str) -> str:
    meta = filled(SummaryMeta, text)
    return summary.render(_view(text), filled(ProofView, text), meta, folder=".clew/sessions/x")


def _view(text: str) -> SessionView:
    view: SessionView = filled(SessionView, text)
    path = f"debug/{SLUG}/001_a.md"
    attempts = tuple(replace(entry, report_path=path) for entry in view.iterations)
    return replace(view, session_id=SLUG, reports=(path,), topic=SLUG, iterations=attempts)


DOCUMENTS: dict[str, Callable[[str], str]] = {
    "report": a_report,
    "session": a_session,
    "session brought up to date": a_session_twice,
    "escalation": an_escalation,
    "summary": a_summary,
}


def blocks(document: str) -> list[Token]:
    body = split(document).body if document.startswith("---\n") else document
    return PARSER.parse(body)


def headings(document: str) -> list[str]:
    return [token.tag for token in blocks(document) if token.type == "heading_open"]


@BY_NAME
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_keeps_its_shape(kind: str, text: str) -> None:
    """The headings are Clew's own, no HTML but its own comments, and nothing to obey."""
    document = DOCUMENTS[kind](text)
    tags = [t.content.strip() for t in blocks(document) if t.type == "html_block"]
    within = [t for block in blocks(document) for t in block.children or ()]

    assert headings(DOCUMENTS[kind]("x")) == headings(document)
    assert [] == obeyed(document)
    assert {"<!-- clew:log -->", "<!-- /clew:log -->"} >= set(tags)
    assert [] == [t.content for t in within if t.type == "html_inline"]
    assert document.encode()


@BY_NAME
def test_front_matter_stays_a_map_of_the_same_keys(text: str) -> None:
    """Whatever its values say; and they are read back as texts."""
    usual, hostile = (plain(load(split(a_session(each)).front)) for each in ("x", text))

    assert list(usual) == list(hostile)
    assert [type(value) for value in usual.values()] == [type(v) for v in hostile.values()]


def test_the_documents_tell_what_they_are_given() -> None:
    """The fillings arrive."""
    for make in DOCUMENTS.values():
        assert 5 < len(re.findall("CANARY", html.unescape(make("CANARY"))))
