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
from clew.words.facts import Diagnosis
from filling import filled
from injections import INJECTIONS, obeyed

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
    meta = replace(filled(SummaryMeta, text), knowledge=f"debug/{SLUG}/knowledge.md")
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


def headings(found: list[Token]) -> list[str]:
    return [token.tag for token in found if token.type == "heading_open"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_keeps_its_shape(kind: str) -> None:
    """The headings are Clew's own, no HTML but its own comments, and nothing to obey."""
    usual = headings(blocks(DOCUMENTS[kind]("x")))
    for name, text in INJECTIONS.items():
        document = DOCUMENTS[kind](text)
        found = blocks(document)
        tags = [token.content.strip() for token in found if token.type == "html_block"]
        within = [token for block in found for token in block.children or ()]

        assert usual == headings(found), name
        assert [] == obeyed(document), name
        assert {"<!-- clew:log -->", "<!-- /clew:log -->"} >= set(tags), name
        assert [] == [token.content for token in within if token.type == "html_inline"], name
        assert document.encode()


@pytest.mark.slow
def test_front_matter_stays_a_map_of_the_same_keys() -> None:
    """Whatever its values say; and they are read back as texts."""
    kinds = {key: type(value) for key, value in front("x").items()}

    assert dict.fromkeys(INJECTIONS, kinds) == {
        name: {key: type(value) for key, value in front(text).items()}
        for name, text in INJECTIONS.items()
    }


def front(text: str) -> dict[str, object]:
    return plain(load(split(a_session(text)).front))


def test_the_documents_tell_what_they_are_given() -> None:
    """The fillings arrive."""
    for make in DOCUMENTS.values():
        assert 5 < len(re.findall("CANARY", html.unescape(make("CANARY"))))
