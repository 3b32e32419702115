"""What every request to a model has to hold: outside text is data between marks, all else is ours.

    with heard(script) as server:     as `serve`; at the end each request that came is looked at
        run_agent(base_url=server.url)

A request is read as a model would get it, without knowledge of how it was made but for the wording
of Clew's templates, which is the only text outside of the marks.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from modelserver import Asked, ModelServer, Script, serve
from projects import TWO_FAULTS

__all__ = ["Block", "Prompt", "heard", "is_side", "prompts_in", "sound"]

TEMPLATES = resources.files("clew.agents.prompts") / "templates"
RULE = (TEMPLATES / "rule.md.j2").read_text("utf-8").strip()
HEAD, _, TAIL = RULE.partition("`DATA_START NONCE` and the line `DATA_END NONCE`")
BEGINS = re.compile(
    re.escape(HEAD) + r"`DATA_START (\w+)` and the line `DATA_END \1`" + re.escape(TAIL)
)
MARK = re.compile(r"^DATA_(START|END)\b(.*)$", re.MULTILINE)
LOOSE = re.compile(r"data\W?_\W?(?:start|end)", re.IGNORECASE)
TASKS = {
    "# Task: find the cause of failing tests": "diagnose",
    "# Task: carry out the recommended fix": "fix",
    "# Task: review a proposed fix": "review",
    "# Task: find what the fix gets wrong": "challenge",
    "# Task: tell what happened, and why": "document",
    "# Task: carry out one task of a plan": "implement",
    "# Task: investigate a symptom": "investigate",
    "# Task: write one test that fails because of the fault": "write-test",
    "# You were cut off": "go-on",
}
# What a prompt of a role has to tell, by how the label of its data begins.
TOLD = {
    "diagnose": ("situation", "errors", "test ", "file "),
    "fix": ("situation", "errors", "test ", "report ", "file "),
    "review": ("situation", "errors", "test ", "report ", "file "),
    "challenge": ("situation", "test ", "diff", "file "),
    "document": ("situation", "report ", "diff"),
    "implement": ("situation", "phase "),
    "investigate": ("situation", "session"),
    "write-test": ("situation", "report "),
    "specialist": ("situation", "report "),  # as who reviews a cause, before there is a fix
    "go-on": (),
}
ITERATING = ("diagnose", "fix", "review")  # such a prompt tells what was tried before
OWN_TOOL = "find_definition"  # who offers it has the tools of Clew, whose results are data
ITERATION = re.compile(
    r"^Iteration (\d+) of \d+(?: of round \d+ \((\d+) in all\))?\.$", re.MULTILINE
)
SHORTEST = 12  # characters of a line that is known again


@dataclass(frozen=True)
class Block:
    """Data between its marks."""

    nonce: str
    label: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """One prompt of Clew's, taken apart."""

    role: str
    nonce: str
    words: str  # outside of the data
    blocks: tuple[Block, ...]

    @property
    def labels(self) -> list[str]:
        return [block.label for block in self.blocks]

    @property
    def iteration(self) -> int:
        found = ITERATION.findall(self.words)
        assert 1 == len(found), self.words
        number, of_all = found[0]
        return int(of_all or number)


def is_side(asked: Asked) -> bool:
    """Whether an agent asks on its own behalf, for a title and the like."""
    return "DATA_START" not in asked.whole


@contextlib.contextmanager
def heard(script: Script, *secrets: str) -> Iterator[ModelServer]:
    """Serve a model; then every request has to be sound, and hold none of the secrets."""
    with serve(script) as server:
        yield server
    for asked in server.asked:
        sound(asked, *secrets)


def sound(asked: Asked, *secrets: str) -> tuple[Prompt, ...]:
    """Return the prompts of a conversation, the first one first. Raises AssertionError."""
    everything = json.dumps(asked.body)
    assert [] == [secret for secret in secrets if secret in everything]
    _answered(asked)
    if is_side(asked):
        _foreign("an agent's own question", asked.whole)
        return ()
    prompts, beside = prompts_in(asked.whole)
    assert prompts, asked.whole
    first, *later = prompts
    assert first.role != "go-on", "the conversation was not begun by a task"
    assert ["go-on"] * len(later) == [prompt.role for prompt in later], "two tasks at once"
    assert {first.nonce} == {prompt.nonce for prompt in prompts}
    ours = OWN_TOOL in asked.tools
    rest = [beside, *(asked.all_results if ours else ())]
    for blocks, words in map(blocks_in, rest):
        assert {first.nonce} >= {block.nonce for block in blocks}, "marks with another nonce"
        assert None is LOOSE.search(words), words
        _foreign("beside the prompt", words)
    for prompt in prompts:
        _told(prompt)
    return tuple(prompts)


def prompts_in(said: str) -> tuple[list[Prompt], str]:
    """Take Clew's prompts out of all that the user said; return them, and what is left of it."""
    prompts, beside, done = list[Prompt](), list[str](), 0
    for begun in BEGINS.finditer(said):
        assert begun.start() >= done, "a prompt within another"
        beside.append(said[done : begun.start()])
        role, words, blocks, done = _taken_apart(said, begun.start())
        assert {begun[1]} >= {block.nonce for block in blocks}, "marks with another nonce"
        prompts.append(Prompt(role, begun[1], words, blocks))
    return prompts, "\n".join((*beside, said[done:]))


def _taken_apart(said: str, begin: int) -> tuple[str, str, tuple[Block, ...], int]:
    """Return a prompt's role, its words, its data, and where it ends: with the form of a role."""
    rest = said[begin:]
    # The task stands outside of data, as does the form.
    masked = re.sub(
        r"^DATA_START (\w+).*?^DATA_END \1$",
        lambda found: re.sub(r"[^\n]", "\0", found[0]),
        rest,
        flags=re.MULTILINE | re.DOTALL,
    )
    task = next((t for t in re.findall(r"^# .*$", masked, re.MULTILINE)), "")
    assert task in TASKS, task
    role = TASKS[task]
    forms = (role,) if role != "go-on" else tuple(set(TASKS.values()) - {"go-on"})
    ends = [
        masked.find(form) + len(form)
        for form in ((TEMPLATES / "answers" / f"{f}.md").read_text("utf-8").strip() for f in forms)
        if form in masked
    ]
    assert ends, "the form of the answer is not what it ends with"
    blocks, words = blocks_in(rest[: ends[0]])
    return role, words, tuple(blocks), begin + ends[0]


def blocks_in(text: str) -> tuple[list[Block], str]:
    """Return what stands between marks, and what does not. Raises AssertionError for a lone one."""
    blocks, words, done = list[Block](), list[str](), 0
    marks = iter(MARK.finditer(text))
    for start in marks:
        assert "START" == start[1], f"data ends that did not begin: {start[0]}"
        nonce, _, label = start[2].strip().partition(" ")
        end = next(marks, None)
        assert end is not None, f"data does not end: {start[0]}"
        assert ("END", nonce) == (end[1], end[2].strip()), f"{start[0]} … {end[0]}"
        words.append(text[done : start.start()])
        blocks.append(Block(nonce, label, text[start.end() + 1 : end.start() - 1]))
        done = end.end()
    return blocks, "".join((*words, text[done:]))


def _answered(asked: Asked) -> None:
    """Each call of a tool has one result, in the next message."""
    messages = asked.messages
    for message, answer in itertools.pairwise(messages):
        if message.calls:
            assert answer.user
            assert len(message.calls) == len(answer.results), (message, answer)
    assert not messages or not messages[-1].calls
    assert sum(len(m.calls) for m in messages) == len(asked.all_results)
    assert "" not in asked.all_results


def _told(prompt: Prompt) -> None:
    """Its words are Clew's own, and it tells all that a prompt of its role has to tell."""
    rule = BEGINS.sub("", prompt.words, count=1)
    assert None is LOOSE.search(rule), rule
    strange = [line for line in rule.splitlines() if line.strip() and not _is_own(line)]
    assert [] == strange, f"outside of the data: {strange}"
    is_specialist = any(label.startswith("report debug/sessions/") for label in prompt.labels)
    role = "specialist" if prompt.role == "review" and is_specialist else prompt.role
    for begin in TOLD[role]:
        assert any(label.startswith(begin) for label in prompt.labels), (begin, prompt.labels)
    if role in ITERATING:
        attempts = [block for block in prompt.blocks if block.label.startswith("attempt ")]
        numbers = [f"attempt {n}" for n in range(1, prompt.iteration)]
        assert numbers == [block.label for block in attempts]
        for block in attempts:
            for row in ("report: ", "root cause: ", "fix attempted: ", "result: "):
                assert re.search(f"^{row}(?!none$|not found$).+", block.text, re.MULTILINE), (
                    block.text
                )


def _is_own(line: str) -> bool:
    return any(own.fullmatch(line) for own in OWN)


def _own() -> Iterator[re.Pattern[str]]:
    """Yield the lines of Clew's templates; where one has a number, that may be any."""
    folder = [*TEMPLATES.iterdir(), *(TEMPLATES / "answers").iterdir()]
    for path in (each for each in folder if each.is_file()):
        for line in path.read_text("utf-8").splitlines():
            words = re.split(r"\{\{ (?:iteration|counter|round|cap|more_tests) \}\}", line)
            plain = not re.search(r"\{\{|\{%|\{#", "".join(words))
            if line.strip() and plain:
                yield re.compile(r"\d+".join(map(re.escape, words)))


OWN = tuple(_own())
PROJECT = tuple(
    line
    for text in TWO_FAULTS.values()
    for line in map(str.strip, text.splitlines())
    if len(line) >= SHORTEST
)


def _foreign(where: str, text: str) -> None:
    """No line of the project stands there."""
    found = [line for line in PROJECT if line in text]
    assert [] == found, f"{where}: {found}"
