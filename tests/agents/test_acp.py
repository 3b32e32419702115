"""The Agent Client Protocol, with a scripted agent in the sandbox."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.agents import table
from clew.agents.acp import Acp, backend
from clew.agents.acp.permitting import Choice, Wish, by_policy
from clew.agents.claude import Claude
from clew.agents.codex import Codex
from clew.agents.external_agent import Said
from clew.agents.gemini import Gemini
from clew.agents.opencode import LOGINS
from clew.agents.protocol import Call, Forgotten
from clew.agents.roles import ROLES
from clew.git.project import Project, locate
from clew.runners import Site
from clew.sandbox import confinement
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import Tick, Usage
from clew.words.settings import Settings

AGENT = str(Path(__file__).parent / "acp_agent.py")
PROMPT = "what is wrong?" * 20_000  # more than a pipe holds
HUGE = {"totalTokens": 10**400, "inputTokens": 10**400, "outputTokens": 0}
NOTHING: Any = None  # of what a prompt is made of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "worktree").mkdir()
    return tmp_path


def ask(place: Path, *way: str, role: str = "diagnose", **more: object) -> Said:
    project = Project(root=place / "project", path=place / "project", git=False, name="p")
    (place / "project").mkdir(exist_ok=True)
    site = Site(worktree=place / "worktree", root=place / "project")
    given: dict[str, Any] = {"number": 1, "role": ROLES[role], "brief": NOTHING}
    given |= {"site": site, "scratch": place, "seconds": 60.0}
    agent = Acp((sys.executable, "-IS", AGENT, *way), project=project)
    return agent.ask(Call(**given | more), PROMPT)


def failure(place: Path, *way: str, **more: object) -> AgentFailed:
    with pytest.raises(AgentFailed) as raised:
        ask(place, *way, role="diagnose", **more)
    return raised.value


def test_what_it_says_last_is_the_answer(place: Path) -> None:
    """It works at the project's own path, in a home of its own; lines that say nothing are let be.

    Kinds of tokens that add up are told together: the input with what came from a cache.
    """
    sent: list[str] = []
    ticks: list[Tick] = []
    names: list[str] = []
    told: dict[str, Any] = {"sent": sent.append, "tick": ticks.append, "began": names.append}
    said = ask(place, "echoes", **told)
    answer = {"prompt": PROMPT, "cwd": str(place / "project"), "home": str(place / "acp")}
    assert answer == json.loads(said.text)
    assert Usage(input=17, output=20, cached=7, usd=0.25) == said.usage
    assert ([PROMPT], ["s-1"]) == (sent, names)
    assert ["read a.py"] == [tick.text.partition(": ")[2] for tick in ticks]


def test_one_that_is_ended_after_its_answer_met_no_limit(place: Path) -> None:
    """Whatever it complained of before: it is Clew that ends it, by a signal."""
    assert "{}" == ask(place, "asks").text


@pytest.mark.parametrize(("role", "edits"), [("diagnose", False), ("fix", True)])
def test_leave_is_given_by_what_the_role_may_do(place: Path, role: str, edits: bool) -> None:  # noqa: FBT001 -- a case
    """To look always, to change files where they may be, to run and to fetch never; once each."""
    said = ask(place, "asks", "read", "edit", "execute", "fetch", "other", role=role)
    allowed = ["read", "edit"] if edits else ["read"]
    once = {True: "id-allow_once", False: "id-reject_once"}
    kinds = ("read", "edit", "execute", "fetch", "other")
    assert {kind: once[kind in allowed] for kind in kinds} == json.loads(said.text)
    assert Usage(input=5, output=6) == said.usage


def test_a_person_allows_more_beforehand(tmp_path: Path) -> None:
    """To run and to fetch, where a setting says so; not to change files where the role may not."""
    judge = by_policy(edits=False, granted=("execute", "other"))
    kinds = ("read", "edit", "execute", "fetch", "other", "")
    allowed = [k for k in kinds if judge(Wish(kind=k, title="x", choices=()))]
    assert ["read", "execute", "other", ""] == allowed
    project = Project(root=tmp_path, path=tmp_path, git=False, name="p")
    with pytest.raises(UsageError, match="agent_leave names delete, edit"):
        table.make("acp:x", Settings(agent_leave=("edit", "delete", "fetch")), project)


def test_an_agent_that_was_refused_and_gives_up_says_so(place: Path) -> None:
    """It is asked again, and told."""
    failed = failure(place, "is-refused")
    assert ("tool_access", "it was denied a execute") == (failed.kind, failed.message)


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [
        (("stops", "refusal"), "refusal", "it stopped before it answered: refusal"),
        (("stops", "max_tokens"), "context_too_long", "it stopped before it answered: max_tokens"),
        (("fails", "429", "Slow down, retry in 3 s."), "rate_limited", "Slow down, retry in 3 s."),
        (("fails", "-32603", "boom"), "error", "boom"),
        (("knows-nobody",), "not_logged_in", "Authentication required"),
        (("dies",), "error", "it ended with exit code 3 before it answered: segfault"),
        (("is-newer",), "not_installed", "it speaks version 2 of the protocol, not 1"),
        (("stops", "nonsense"), "invalid_output", "what it said does not follow the protocol"),
    ],
)
def test_an_end_without_an_answer_is_told(
    place: Path, way: tuple[str, ...], kind: str, words: str
) -> None:
    """In its own words, where it has some."""
    failed = failure(place, *way)
    assert (kind, words) == (failed.kind, failed.message)
    assert failed.after == (3.0 if kind == "rate_limited" else 0.0)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ({"error": {"code": "429", "message": "Slow down."}}, "error", "Slow down."),
        (
            {"error": {"code": [], "message": {"a": 1}, "data": {"details": [1]}}},
            "error",
            "it says that it failed, and not why",
        ),
        (
            {"result": {"stopReason": "end_turn", "usage": HUGE}},
            "invalid_output",
            "what it said does not follow the protocol",
        ),
    ],
)
def test_an_answer_of_another_form_is_a_failure_of_the_agent(
    place: Path, answer: dict[str, Any], kind: str, words: str
) -> None:
    """Whatever stands in the place of a code, of words or of a count."""
    failed = failure(place, "raves", json.dumps(answer))
    assert (kind, words) == (failed.kind, failed.message)


def test_a_session_that_was_cut_off_is_gone_on_with(place: Path) -> None:
    """What it tells of it is nothing new: not shown, no part of the answer; its home is kept.

    What the first half took is not known, so what is known is a part.
    """
    ticks: list[Tick] = []
    kept = place / "acp" / "kept"
    kept.parent.mkdir()
    kept.touch()
    told: dict[str, Any] = {"conversation": "s-1", "resuming": True, "tick": ticks.append}
    said = ask(place, "remembers", "all", **told)
    assert PROMPT == json.loads(said.text)["prompt"]
    assert ["read a.py"] == [tick.text.partition(": ")[2] for tick in ticks]
    assert Usage(input=17, output=20, cached=7, usd=0.25, partial=True) == said.usage
    assert kept.exists()


@pytest.mark.parametrize("how", ["says nothing", "errs", "forgets", "dies", "hangs", "chatters"])
def test_a_session_that_is_not_remembered_is_not_gone_on_with(place: Path, how: str) -> None:
    """Whatever the agent says that it can: nothing is asked then."""
    (place / "acp").mkdir()
    with pytest.raises(Forgotten):
        ask(place, "remembers", how, conversation="s-1", resuming=True, seconds=6.0)


@pytest.mark.slow
def test_a_prompt_whose_time_is_up_is_cancelled(place: Path) -> None:
    """The agent is told, and may end by itself."""
    failed = failure(place, "waits", seconds=4.0)
    assert ("timeout", "it was cancelled, for its time was up") == (failed.kind, failed.message)


@pytest.mark.slow
def test_an_agent_that_does_not_listen_is_ended(place: Path) -> None:
    """A prompt that nobody reads does not hold us up."""
    failed = failure(place, "is-deaf", seconds=3.0)
    assert ("timeout", "no answer within 3 s") == (failed.kind, failed.message)


def test_a_wish_without_a_fitting_answer_is_refused() -> None:
    """A judge decides; another one may ask a person."""
    wish = Wish(kind="edit", title="x", choices=(Choice(id="1", kind="reject_always"),))
    assert (True, False) == (by_policy(edits=True)(wish), by_policy(edits=False)(wish))
    assert (None, "1") == (wish.answer(allowed=True), wish.answer(allowed=False))


def test_a_known_agent_is_lent_its_login() -> None:
    """By the name of the program."""
    names = ("gemini", "/opt/bin/claude-agent-acp", "gem", "some-claude")
    assert [Gemini, Claude, None, None] == [table._kin(name) for name in names]


def test_an_agent_of_many_providers_calls_those_that_the_person_is_logged_in_at(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no host beside them; with variables that nobody knows, it may be told of others."""
    for name in LOGINS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    said = []
    for settings in (Settings(), Settings(pass_env=("OTHER_API_KEY",))):
        agent = table.make("acp:opencode acp", settings, locate(place))
        assert isinstance(agent, Acp)
        said.append(agent.hosts)
        gated = confinement.detect().level is confinement.Level.NAMESPACE and agent.hosts
        reach = table.network("acp:opencode acp", settings, locate(place))
        assert ("gated" if gated else "open") == reach
    assert [Codex.about.hosts, ()] == said


def test_opencode_is_told_by_the_protocol_what_it_is_told_without(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks for no leave: its permissions are those of the role, its models at the base URL."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    agent = table.make("acp:opencode acp", Settings(), locate(place))
    assert isinstance(agent, Acp)
    told = {}
    for role in ("diagnose", "fix"):
        program = agent._program("/opt/opencode", place, ROLES[role])
        told[role] = json.loads(program.environment["OPENCODE_CONFIG_CONTENT"])
    assert ["deny", "deny"] == [each["permission"]["*"] for each in told.values()]
    edits = [each["permission"].get("edit", "deny") for each in told.values()]
    assert ["deny", "allow"] == edits
    urls = [each["provider"]["openai"]["options"]["baseURL"] for each in told.values()]
    assert ["http://127.0.0.1:1/v1"] * 2 == urls


def test_what_opencode_tells_of_several_requests_is_a_part(place: Path) -> None:
    """By the protocol it tells its last one alone; one that used no tool has made one."""
    agents = [
        table.make(f"acp:{line}", Settings(), locate(place))
        for line in ("opencode acp", "gemini --acp", "mine")
    ]
    took = Usage(input=17, output=20)
    told = [
        agent._taken(took, worked=worked, resuming=False)
        for agent in agents
        if isinstance(agent, Acp)
        for worked in (True, False)
    ]

    part = Usage(input=17, output=20, partial=True)
    assert [part, took, took, took, took, took] == told


def test_a_known_agent_calls_its_own_hosts(place: Path) -> None:
    """One that nobody knows may call all, until some are named."""
    project = locate(place)
    agents = [
        table.make(f"acp:{line}", Settings(agent_hosts=more), project)
        for line, more in (("gemini --acp", ()), ("mine", ()), ("mine", ("a.example",)))
    ]
    hosts = [agent.hosts for agent in agents if isinstance(agent, Acp)]

    assert [Gemini.about.hosts, (), ("a.example",)] == hosts


def test_a_base_url_at_a_port_that_stays_closed_is_told(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the agent is started: no call would reach it."""
    monkeypatch.setenv("MY_BASE_URL", "http://localhost/v1")
    monkeypatch.setattr(Acp, "more_hosts", ("model.example",))
    monkeypatch.setattr(backend, "PROXIES", ("MY_BASE_URL",))
    failed = failure(place, "answer")

    assert ("unsupported", True) == (failed.kind, "port 80 of localhost" in failed.message)


def test_without_the_extra_it_says_which_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a session is opened."""
    monkeypatch.setattr(backend, "find_spec", lambda _: None)
    project = Project(root=place, path=place, git=False, name="p")
    with pytest.raises(UsageError) as raised:
        Acp(("true",), project=project).look()
    assert "pip install 'clew[acp]'" == raised.value.hint
