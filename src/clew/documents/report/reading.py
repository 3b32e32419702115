"""Reports read back, and checked by what they say."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

import msgspec

from clew.documents.markdown import Section, sections, unfenced
from clew.words.slugs import slug

__all__ = ["NO_SECOND", "ParsedOption", "ParsedReport", "parse", "problems"]

FEWEST_OPTIONS, MOST_OPTIONS = 2, 3
SHORTEST = 8
NO_SECOND = "named no second way"
NOTHING = ("-", "\u2013")
FIELD = re.compile(
    r"^\s*(?:[-*+]\s+)?(?:\*\*|__)([A-Z][\w /()-]{1,40}?)(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(.*)$"
)
OPTION = re.compile(
    r"^(?:Option|Solution)\s+(\d+)\s*(?:[:.)\u2013\u2014-]\s*(.*))?$", re.IGNORECASE
)
RECOMMENDED = re.compile(
    r"recommend\w*(?:\s+(?:solution|option|fix|approach))?[^\w\n]*(?:is\s+|implement(?:ing)?\s+"
    r"|to\s+\w+\s+)?[^\w\n]*(?:option|solution)\s+(\d+)",
    re.IGNORECASE,
)
LEADING = re.compile(r"^\W*(?:option|solution)\s+(\d+)\b", re.IGNORECASE | re.MULTILINE)
MENTION = re.compile(r"\b(?:option|solution)\s+(\d+)\b", re.IGNORECASE)
LOCATION = re.compile(r"(?<![\w./-])((?:[\w.@+-]+/)*[\w.@+-]+\.[A-Za-z]\w*):(\d+)\b")
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
PLACEHOLDER = re.compile(
    r"^\W*(?:tbd|tba|to ?do|fix ?me|n/?a|none|null|unknown|unclear|pending|see above|not known"
    r"|not (?:yet )?(?:identified|determined)|to be (?:determined|identified|filled)\w*"
    r"|root cause|the root cause|lorem ipsum\b.*|x+|description|placeholder|under investigation"
    r"|your \w+ here|what is causing the failure)?\W*$",
    re.IGNORECASE,
)
BRACKETED = re.compile(r"^\s*[\[{<][^\]}>]*[\]}>]\s*\.?\s*$")


class ParsedOption(msgspec.Struct, frozen=True, kw_only=True):
    """One proposed solution as it stands in a report."""

    number: int
    title: str
    approach: str = ""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    implementation: str = ""


class ParsedReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report as it was read; keys of `metadata` are lower_snake, empty means absent."""

    title: str
    metadata: dict[str, str]
    summary: str
    root_cause: str
    options: tuple[ParsedOption, ...]
    recommended: tuple[int, ...]  # every option that the report recommends: one, if it is sound
    locations: tuple[tuple[str, int], ...]  # each `file:line` that it names
    sections: dict[str, str]  # by lower_snake title


def parse(text: str) -> ParsedReport:
    """Read a report, ours or one of the same shape, with options or with solutions."""
    parts = list(sections(text))
    title = next((part.title for part in parts if part.level == 1), "")
    named = _by_name(parts)
    metadata: dict[str, str] = {}
    for name in ("metadata", "investigation_status", "status"):
        metadata |= _fields(named.get(name, ""))
    options = tuple(_options(parts))
    recommended = _recommended(parts, named)
    return ParsedReport(
        title=title,
        metadata=metadata,
        summary=named.get("summary", named.get("executive_summary", "")),
        root_cause=_root_cause(named),
        options=options,
        recommended=recommended,
        locations=tuple(dict.fromkeys((path, int(line)) for path, line in LOCATION.findall(text))),
        sections=named,
    )


def problems(
    text: str, files: Callable[[str], int | None], place: tuple[str, int | None] = ("", None)
) -> tuple[str, ...]:
    """Return what the report lacks, in words for its author; empty if it is sound.

    `files` gives the number of lines of a project file, and None where there is none. `place` is
    the file and line that the report was made with: no words show them where a name is odd.
    """
    report = parse(text)
    return (
        *_of_form(report),
        *(line for option in report.options for line in _of_option(option)),
        *_of_choice(report),
        *_of_places(report, files, place),
    )


def _of_form(report: ParsedReport) -> Iterator[str]:
    if not report.metadata:
        yield "The Metadata section is missing or has no `- **Field**: value` lines."
    if _hollow(report.root_cause):
        yield "The root cause is missing or a placeholder: say what is wrong, and where."
    count = len(report.options)
    alone = count == 1 and NO_SECOND in report.sections.get("proposed_solutions", "")
    if not alone and not FEWEST_OPTIONS <= count <= MOST_OPTIONS:
        noun = "There is 1 option" if count == 1 else f"There are {count} options"
        yield f"{noun} (`### Option N: title`); 2 or 3 are needed."
    if len({option.number for option in report.options}) != count:
        yield "Two options have the same number."


def _of_option(option: ParsedOption) -> Iterator[str]:
    if _hollow(option.approach) and not option.implementation:
        yield (
            f"Option {option.number} has neither an approach nor steps: `approach` (in `fix`,"
            f" `description`) must say it in {SHORTEST} characters or more, or else"
            " `steps` (in `fix`, `changes`)."
        )
    if not option.pros and not option.cons:
        yield f"Option {option.number} has no trade-offs: give its pros and cons."


def _of_choice(report: ParsedReport) -> Iterator[str]:
    if len(report.recommended) != 1:
        chosen = ", ".join(map(str, report.recommended)) or "none"
        yield f"Exactly one option must be recommended; found: {chosen}."
    elif report.recommended[0] not in {option.number for option in report.options}:
        yield f"Option {report.recommended[0]} is recommended, but there is no such option."


def _of_places(
    report: ParsedReport, files: Callable[[str], int | None], place: tuple[str, int | None]
) -> Iterator[str]:
    if not any(_exists(path, line, files) for path, line in (place, *report.locations)):
        named = ", ".join(f"{path}:{line}" for path, line in report.locations[:3]) or "none"
        yield f"No `file:line` of this project is named (found: {named})."


def _by_name(parts: list[Section]) -> dict[str, str]:
    """Join each section with its subsections, under the name of each."""
    named: dict[str, str] = {}
    for at, part in enumerate(parts):
        if part.level < 2:  # noqa: PLR2004 - the title is no section
            continue
        body = [part.body]
        for inner in parts[at + 1 :]:
            if inner.level <= part.level:
                break
            body += [f"{'#' * inner.level} {inner.title}", inner.body]
        named.setdefault(slug(part.title, "_"), "\n\n".join(body).strip())
    return named


def _fields(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in unfenced(body).splitlines():
        match = FIELD.match(line)
        if match:
            found.setdefault(slug(match.group(1), "_"), match.group(2).strip())
    return found


def _root_cause(named: dict[str, str]) -> str:
    for name in ("root_cause", "root_cause_analysis"):
        if named.get(name, "").strip():
            return re.split(r"(?:^|\n\n)Location: ", named[name], maxsplit=1)[0].strip()
    for name in ("analysis", "summary"):
        inline = _fields(named.get(name, "")).get("root_cause")
        if inline:
            return inline
    return ""


def _options(parts: list[Section]) -> list[ParsedOption]:
    found = []
    for at, part in enumerate(parts):
        match = OPTION.match(part.title.strip("*_ "))
        if match is None:
            continue
        body = part.body
        for inner in parts[at + 1 :]:
            if inner.level <= part.level:
                break
            body += f"\n\n**{inner.title}**:\n{inner.body}"
        fields = _blocks(body)
        found.append(
            ParsedOption(
                number=int(match.group(1)),
                title=(match.group(2) or "").strip(),
                approach=fields.get("approach", fields.get("description", "")),
                pros=_bullets(fields.get("pros", fields.get("advantages", ""))),
                cons=_bullets(fields.get("cons", fields.get("disadvantages", ""))),
                implementation=next(
                    (
                        fields[name]
                        for name in ("implementation", "implementation_steps", "steps")
                        if name in fields
                    ),
                    "",
                ),
            )
        )
    return found


def _blocks(body: str) -> dict[str, str]:
    """Split an option's body at its `**Label**:` lines."""
    found: dict[str, list[str]] = {}
    label = ""
    bare = set(unfenced(body).splitlines())
    for line in body.splitlines():
        match = FIELD.match(line) if line in bare else None
        if match:
            label = slug(match.group(1), "_")
            found.setdefault(label, []).append(match.group(2))
        elif label:
            found[label].append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def _bullets(text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [match.group(1) if (match := BULLET.match(line)) else line for line in lines]
    return tuple(line for line in found if line.lower() != "none found" and line not in NOTHING)


def _recommended(parts: list[Section], named: dict[str, str]) -> tuple[int, ...]:
    """Return what is recommended in so many words; else what the section begins with or names."""
    section = next((named[n] for n in named if n.startswith("recommend")), "")
    text = unfenced(section)
    for pattern in (RECOMMENDED, LEADING, MENTION):
        numbers = pattern.findall(text)
        if numbers:
            return tuple(sorted({int(number) for number in numbers}))
    flagged = [
        int(match.group(1))
        for part in parts
        if "recommended" in part.title.lower() and (match := OPTION.match(part.title.strip("*_ ")))
    ]
    return tuple(sorted(set(flagged)))


def _hollow(text: str) -> bool:
    bare = re.sub(r"[*_`]", "", text).strip()
    return (
        len(bare) < SHORTEST
        or PLACEHOLDER.match(bare) is not None
        or BRACKETED.match(bare) is not None
    )


def _exists(path: str, line: int | None, files: Callable[[str], int | None]) -> bool:
    if not path or line is None or path.startswith("/") or ".." in path.split("/"):
        return False
    length = files(posixpath.normpath(path))
    return length is not None and 1 <= line <= max(1, length)
