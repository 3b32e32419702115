"""Data and its definition side by side, where the two disagree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from clew.analysis.failures.shapes import FIELDS, MEMBER, mismatch, missing_key, unwrapped
from clew.evidence.explain.scene import Explanation, Scene, clipped, code, listed, place
from clew.evidence.explain.sources import definitions, line_of, places_in
from clew.words.facts import Category, Crash, Frame, Suspect, TestRun
from clew.words.printable import printable
from clew.words.python_source import parsed

__all__ = ["disagreeing", "schema_account"]

TABLE = re.compile(r"table (\w+)|constraint failed: (\w+)\.|no such column: (\w+)\.", re.IGNORECASE)
STATEMENT = re.compile(r"\b(?:INTO|FROM|UPDATE|JOIN)\s+(\w+)", re.IGNORECASE)
CREATE = r"CREATE TABLE (?:IF NOT EXISTS )?[\"'`]?{}[\"'`]?\s*\((.*?)\)\s*[;\"']"
MODEL = r"^\s*__tablename__\s*(?::[^=\n]+)?=\s*[\"']{}[\"']"
COLUMN = re.compile(
    r"^\s+(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(?:Column|mapped_column)\(", re.MULTILINE
)
NAMED = re.compile(r"(?:no such (?:table|column)|has no column named):? (\S+)", re.IGNORECASE)
KEYS = re.compile(r"['\"](\w+)['\"]:")
MOST = 8
REACH = 9  # lines of a statement


def schema_account(scene: Scene, crash: Crash) -> Explanation:
    """Return title and cause, with both definitions where they are found."""
    message = clipped(printable(crash.message), 300)
    at = f" at {scene.here}" if scene.here else ""
    both = list(dict.fromkeys(_sides(scene, crash))) or list(_everywhere(scene, crash))
    shown = f" {' '.join(f'{side}.' for side in both)}" if both else ""
    return Explanation(
        f"data and schema disagree: {clipped(message, 40)}",
        f"Two definitions of the same data do not agree{at}: {code(message)}.{shown}"
        " One side was changed without the other.",
    )


def disagreeing(run: TestRun, sources: Mapping[str, str]) -> tuple[Suspect, ...]:
    """Return the places of both definitions of what failing tests say does not fit, with words."""
    found: dict[tuple[str, int], Suspect] = {}
    for result in run.red:
        crash = unwrapped(result.crash, sources) if result.crash else None
        if crash is None or not mismatch(crash, sources):
            continue
        scene = Scene(
            run=run,
            category=Category.SCHEMA_MISMATCH,
            result=replace(result, crash=crash),
            suspects=(),
            sources=sources,
        )
        frame = next((f for f in reversed(crash.frames) if f.project), None)
        if frame and crash is not result.crash:  # nothing else points at where it was raised first
            reason = f"where {crash.type.rpartition('.')[2]} was raised first"
            one = Suspect(
                path=frame.path,
                line=frame.line,
                function=frame.function,
                score=1.0,
                reasons=(reason,),
            )
            found[frame.path, frame.line] = one
        for side in list(dict.fromkeys(_sides(scene, crash))) or _everywhere(scene, crash):
            for path, line in places_in(side, sources):
                if not scene.is_test(path):
                    one = Suspect(path=path, line=line, score=1.0, reasons=(side,))
                    found.setdefault((path, line), one)
        if found:
            break
    return tuple(found.values())


def _everywhere(scene: Scene, crash: Crash) -> Iterator[str]:
    """Name the places of what the message names, code as well, where neither side was found."""
    named = NAMED.search(printable(crash.message))
    word = named[1].rpartition(".")[2] if named else ""
    firsts = {
        path: number
        for path, text in sorted(scene.sources.items())
        for number, line in reversed(list(enumerate(text.splitlines(), 1)))
        if word and re.search(rf"\b{re.escape(word)}\b", line)
    }
    places = [place(path, number) for path, number in firsts.items()]
    if places:
        yield f"It is at {', '.join(places[:MOST])}"


def _sides(scene: Scene, crash: Crash) -> Iterator[str]:
    frame = next((f for f in reversed(crash.frames) if f.project), None)
    if frame is None:
        return
    fields, member, key = FIELDS.search(crash.message), MEMBER.match(crash.message), None
    key = missing_key(crash)
    if fields is not None:
        name = fields[1].rpartition(".")[2]
        yield from _record(scene, name)
        yield from _given(scene, frame, name)
    elif member is not None:
        yield from _members(scene, member["enum"].rpartition(".")[2])
        yield from _standing(scene, member["value"].strip("'\""))
    elif key is not None or "No item" in crash.message:
        where = place(frame.path, frame.line)
        yield f"The code at {where} asks for {code(frame.code.strip())}"
        yield from _held(frame)
        yield from _statement(scene, frame)
        if key is not None:
            yield from _standing(scene, key.strip("'\""), skip=frame)
            yield from _heads(scene, frame)
    else:
        yield from _table(scene, crash, frame)


def _record(scene: Scene, name: str) -> Iterator[str]:
    for found in definitions(scene.sources, name):
        body = _class(scene.sources[found.path], name)
        names = [
            node.target.id
            for node in (body.body if body else ())
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        ]
        if names:
            yield f"{code(name)}, defined at {place(found.path, found.line)}, has {_some(names)}"
            return


def _given(scene: Scene, frame: Frame, name: str) -> Iterator[str]:
    where = place(frame.path, frame.line)
    for holder, value in frame.values.items():
        if re.search(rf"\*\*[( ]*{re.escape(holder)}\b", frame.code) and KEYS.search(value):
            yield f"What it is made from at {where} has {_some(KEYS.findall(value))}"
            return
    for node in ast.walk(parsed(scene.sources.get(frame.path, ""))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(name):
            given = [keyword.arg for keyword in node.keywords if keyword.arg]
            if given and node.lineno <= frame.line <= (node.end_lineno or node.lineno):
                yield f"The call at {where} gives {_some(given)}"
                return
    yield f"It is made at {where}: {code(frame.code.strip())}"


def _members(scene: Scene, name: str) -> Iterator[str]:
    for found in definitions(scene.sources, name):
        body = _class(scene.sources[found.path], name)
        known = [
            ast.unparse(n.value) for n in (body.body if body else ()) if isinstance(n, ast.Assign)
        ]
        if known:
            yield f"{code(name)}, defined at {place(found.path, found.line)}, knows {_some(known)}"
            return


def _standing(scene: Scene, word: str, skip: Frame | None = None) -> Iterator[str]:
    """Say where a word stands outside the code."""
    for path, text in sorted(scene.sources.items()):
        if path.endswith(".py") or (skip and path == skip.path):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line):
                yield f"{code(word)} is at {place(path, number)}"
                return


def _held(frame: Frame) -> Iterator[str]:
    for holder, value in frame.values.items():
        if re.search(rf"\b{re.escape(holder)}\b", frame.code) and len(KEYS.findall(value)) > 1:
            yield f"{code(holder)} has {_some(KEYS.findall(value))}"
            return


def _heads(scene: Scene, frame: Frame) -> Iterator[str]:
    """Say which file of data names what the record at hand holds."""
    keys = {key for value in frame.values.values() for key in KEYS.findall(value)}
    for path, text in sorted(scene.sources.items()):
        first = text.split("\n", 1)[0]
        if path.endswith(".csv") and keys & set(re.findall(r"\w+", first)):
            yield f"The first line of {place(path, 1)} reads {code(first)}"
            return


def _table(scene: Scene, crash: Crash, frame: Frame) -> Iterator[str]:
    named = TABLE.search(crash.message)
    statement = _text(scene, frame)
    inner = STATEMENT.search(statement)
    table = next(filter(None, named.groups()), "") if named else inner[1] if inner else ""
    yield from _statement(scene, frame)
    for path, text in sorted(scene.sources.items()):
        made = re.search(CREATE.format(re.escape(table)), text, re.IGNORECASE | re.DOTALL)
        if table and made:
            line = text[: made.start()].count("\n") + 1
            columns = re.findall(r"(?:^|,)\s*[\"`]?(\w+)[\"`]?\s+\w", made[1])
            yield f"The table {code(table)}, made at {place(path, line)}, has {_some(columns)}"
            return
    for path, text in sorted(scene.sources.items()):
        made = re.search(MODEL.format(re.escape(table)), text, re.MULTILINE)
        if table and made:
            line = text[: made.end()].count("\n") + 1
            body = re.split(r"^\S", text[made.end() :], maxsplit=1, flags=re.MULTILINE)[0]
            columns = COLUMN.findall(body)
            yield f"The table {code(table)}, made at {place(path, line)}, has {_some(columns)}"
            return


def _statement(scene: Scene, frame: Frame) -> Iterator[str]:
    """Show the statement that runs at a frame, or that its caller ran."""
    text = _text(scene, frame)
    found = re.search(
        r"['\"](\s*(?:INSERT|SELECT|UPDATE|DELETE|REPLACE)\b.*?)['\"]\s*,?\s*\n", text
    )
    if found:
        yield f"The statement at {place(frame.path, frame.line)} reads {code(found[1].strip())}"
        return
    whole = scene.sources.get(frame.path, "")
    select = re.search(r"['\"](\s*SELECT\b.*?)['\"]", whole)
    if select and "[" in frame.code:
        line = whole[: select.start()].count("\n") + 1
        yield f"The statement at {place(frame.path, line)} reads {code(select[1].strip())}"


def _text(scene: Scene, frame: Frame) -> str:
    return "\n".join(line_of(scene.sources, frame.path, frame.line + n) for n in range(REACH))


def _class(text: str, name: str) -> ast.ClassDef | None:
    found = (n for n in ast.walk(parsed(text)) if isinstance(n, ast.ClassDef) and n.name == name)
    return next(found, None)


def _some(names: list[str]) -> str:
    shown = [code(name) for name in dict.fromkeys(names)]
    more = len(shown) - MOST
    return listed([*shown[:MOST], f"{more} more"] if more > 0 else shown)
