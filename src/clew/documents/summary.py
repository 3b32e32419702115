"""The workflow summary: what failed, what was changed, and the proof."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

from clew.analysis.spending import total
from clew.documents.templating import fill
from clew.documents.views import ProofView, SessionView, SummaryMeta
from clew.words.verdicts import verdict

__all__ = ["applied", "file_name", "gone_back", "render", "taken_back"]

OPEN = re.compile(  # as it is said, and as summaries said it before version 6
    r"(?m)^(?:Your files stay as they are until `clew apply [\w.-]+`"
    r"|Until `clew apply [\w.-]+` nothing in your files is changed)\.\n(?:\n- .*)+"
)
OUTCOME = re.compile(r"(?m)^- \*\*Outcome\*\*: ([\w ]+)$")
VERDICT = re.compile(r"(?m)^\*\*Verdict\*\*: ")
TAKEN_OUT = re.compile(r"(?m)^It was in your files, and you took it out; .*$")
APPLIED = re.compile(r"(?m)^`clew apply [\w.-]+` has put it into your files; .*$")


def file_name(number: int) -> str:
    """Return `NNN_workflow_summary.md`."""
    return f"{number:03}_workflow_summary.md"


def applied(text: str, session: str) -> str:
    """Return a summary that says of its fix that it is in the person's files now."""
    told = f"`clew apply {session}` has put it into your files; `clew diff {session}` shows it."
    return TAKEN_OUT.sub(told, OPEN.sub(told, text, count=1), count=1)


def taken_back(text: str, session: str) -> str:
    """Return a summary that says of its fix that it is not in the person's files any more."""
    told = f"It was in your files, and you took it out; `clew apply {session}` puts it back."
    return APPLIED.sub(told, text, count=1)


def gone_back(text: str, session: str, checkpoint: str) -> str:
    """Return a summary that says that its session has gone back to a checkpoint since."""
    now = f"the session has gone back to its checkpoint `{checkpoint}` since"
    text = OUTCOME.sub(
        rf"- **Outcome**: was \1; {now}, and `clew status {session}` tells how it stands", text, 1
    )
    text = VERDICT.sub("**Verdict**, before it went back: ", text, count=1)
    left = f"This fix cannot be applied any more: {now}."
    for words in (OPEN, TAKEN_OUT):
        text = words.sub(left, text, count=1)
    there = f"`clew apply {session}` had put it into your files; with `--undo` it takes it out."
    return APPLIED.sub(there, text, count=1)


def render(
    view: SessionView, proof: ProofView | None, meta: SummaryMeta, *, folder: str = "summaries"
) -> str:
    """Return the summary; `folder`, from the project's root, is where its links start from."""
    proof = proof or ProofView()
    paths = {*view.reports, *(e.report_path for e in view.iterations if e.report_path)}
    paths |= {meta.knowledge} if meta.knowledge else set()
    return fill(
        "clew.documents",
        "summary",
        view=view,
        spent=total(view.spent.values()),
        proof=proof,
        verdict=verdict(proof.rows, accepted=proof.accepted, unsure=bool(meta.doubts)),
        meta=meta,
        number=f"{meta.number:03}",
        links={
            path: quote(posixpath.relpath(path, folder), errors="backslashreplace")
            for path in paths
        },
    )
