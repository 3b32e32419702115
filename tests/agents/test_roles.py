"""Roles, the models that they are asked with, and what is refused of both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import agents
from clew.agents.prompts import ROLES as PROMPTED
from clew.agents.replies import parse
from clew.agents.roles import ROLES, Writes, wished
from clew.git.project import locate
from clew.words.errors import AgentFailed, UsageError
from clew.words.models import PROFILES
from clew.words.settings import Settings, load


def test_every_role_has_a_prompt_and_every_prompt_a_role() -> None:
    """By the same name."""
    assert list(PROMPTED) == list(ROLES)


@pytest.mark.parametrize(
    ("writes", "may", "may_not"),
    [
        (Writes.NOTHING, [], ["a.py", "README.md", "tests/test_a.py"]),
        (Writes.ANYTHING, ["a.py", "README.md", "tests/test_a.py"], []),
        (
            Writes.TESTS,
            ["tests/test_a.py", "tests/data/a.json", "pkg/x_test.go", "src/a.test.ts"],
            ["a.py", "conftest.py", "tests/conftest.py", "pytest.ini", "setup.cfg", "docs/a.md"],
        ),
    ],
)
def test_a_role_may_change_its_own_files_and_no_others(
    writes: Writes, may: list[str], may_not: list[str]
) -> None:
    """Told from their paths alone."""
    role = next(role for role in ROLES.values() if role.writes is writes)

    assert tuple(may_not) == role.beyond([*may, *may_not])
    assert (writes is not Writes.NOTHING) == role.edits


@pytest.mark.parametrize(
    ("role", "said", "why"),
    [
        ("review", '{"verdict": "FINE", "reason": "x"}', "FINE"),
        ("review", '{"verdict": "SUGGEST_CHANGE", "reason": "x"}', "without a suggestion"),
        ("review", '{"verdict": "LOOKS_GOOD", "reason": " "}', "without a reason"),
        ("review", '{"verdict": "LOOKS_GOOD", "reason": "x", "more": 1}', "more"),
        ("write-test", '{"test_file": "", "test_name": "a", "expects": "b"}', "test_file"),
        ("write-test", '{"test_file": "tests/test_a.py", "test_name": "a"}', "expects"),
        ("document", '{"why": "x"}', "what_happened"),
        ("document", '{"what_happened": " ", "why": "x"}', "what happened, or why, is missing"),
        ("document", '{"what_happened": "x", "why": "x", "changes": []}', "changes"),
        ("document", "Done!", "no JSON"),
    ],
)
def test_an_answer_in_another_form_is_none(role: str, said: str, why: str) -> None:
    """And the reason names what is wrong, so that it can be asked for again."""
    with pytest.raises(AgentFailed, match=why) as failed:
        parse(said, ROLES[role].reply)

    assert "invalid_output" == failed.value.kind


@pytest.mark.parametrize(
    ("profile", "diagnose", "fix", "after"),
    [
        ("quality", "strong", "strong", "strong"),
        ("balanced", "middle", "middle", "middle"),
        ("budget", "middle", "cheap", "cheap"),
        ("adaptive", "cheap", "cheap", "middle"),
        ("inherit", "", "", ""),
    ],
)
def test_a_profile_asks_for_a_tier(profile: str, diagnose: str, fix: str, after: str) -> None:
    """For each role its own; adaptive goes one tier up with each setback, to the top."""
    assert diagnose == wished("diagnose", profile, {}, 0)
    assert fix == wished("fix", profile, {}, 0)
    assert after == wished("fix", profile, {}, 1)
    assert wished("fix", profile, {}, 2) == wished("fix", profile, {}, 9)
    assert "mine" == wished("fix", profile, {"fix": "mine"}, 1)
    assert "" == wished("fix", profile, {"fix": "inherit"}, 1)
    assert profile in PROFILES


@pytest.mark.parametrize(
    ("name", "wish", "asked"),
    [
        ("claude", "strong", ("claude:opus", "opus")),
        ("claude", "cheap", ("claude:haiku", "haiku")),
        ("claude", "claude-x-9", ("claude:claude-x-9", "claude-x-9")),
        ("claude", "", ("claude", "")),
        ("claude:model-1", "strong", ("claude:model-1", "model-1")),
        ("repair", "strong", ("repair", "")),
        ("replay:a.jsonl", "strong", ("replay:a.jsonl", "")),
        ("command:x --y", "strong", ("command:x --y", "strong")),
        ("mine", "cheap", ("mine", "cheap")),
    ],
)
def test_a_tier_becomes_a_model_as_each_back_end_names_it(
    name: str, wish: str, asked: tuple[str, str]
) -> None:
    """A model that stands on the ladder stays; programs of a person's own are told the tier."""
    assert asked == agents.with_model(name, wish, Settings(commands={"mine": "x"}))


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two makers' programs are installed."""
    for name in ("claude", "codex"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


PER_BACK_END = """\
profile = "budget"
agent = ["claude", "codex", "gemini", "mine"]
[commands]
mine = "true"
[models]
diagnose = { claude = "opus-9", codex = "gpt-9", mine = "big" }
fix.codex = "inherit"
fix.claude = "strong"
review = "any-model"
document = "gpt-9"
write-test.codex = "opus-9"
"""


@pytest.mark.parametrize(
    ("role", "agent", "model"),
    [
        ("diagnose", "claude", "opus-9"),
        ("diagnose", "codex", "gpt-9"),
        ("diagnose", "mine", "big"),
        ("diagnose", "gemini", "flash"),  # as the profile has it
        ("diagnose", "claude:model-1", "model-1"),
        ("fix", "codex", ""),
        ("fix", "claude", "opus"),
        ("fix", "gemini", "flash-lite"),
        ("review", "claude", "any-model"),
        ("review", "gemini", "any-model"),
        ("document", "codex", "gpt-9"),
        ("document", "claude", "haiku"),  # it is no model of its maker
        ("document", "mine", "gpt-9"),
        ("write-test", "codex", "opus-9"),  # it is said for whom
    ],
)
def test_each_back_end_has_a_model_of_its_own_for_a_role(
    tmp_path: Path, role: str, agent: str, model: str
) -> None:
    """A word for a back-end comes before one for all, and that one before the profile."""
    (tmp_path / "clew.toml").write_text(PER_BACK_END)
    found = load((tmp_path,), {}, {})
    wish = wished(role, found.profile, found.models, 0, agent)

    assert model == agents.with_model(agent, wish, found)[1]


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(
    ("models", "why"),
    [
        ("fix = 'model-9'", r"fix = 'model-9' would be asked of claude and of codex"),
        ("fix = { claude = 'a', gemini = 'b' }\ndiagnose = 'c'", "diagnose = 'c' would be asked"),
        ("fix = { repair = 'a' }", "fix.repair: repair takes no model"),
        ("fix = { 'acp' = 'a' }", "fix.acp: acp takes no model"),
        ("fix = { clod = 'a' }", "fix.clod: unknown agent 'clod'"),
        ("fix = { claude = 1 }", "models cannot be read"),
        ("fixer = { claude = 'a' }", "names 'fixer'"),
    ],
)
def test_a_model_of_one_maker_is_not_asked_of_another(
    tmp_path: Path, models: str, why: str
) -> None:
    """Whose it is has to be said, before anything runs."""
    (tmp_path / "clew.toml").write_text(
        f"agent = ['repair', 'claude', 'codex']\n[models]\n{models}"
    )

    with pytest.raises(UsageError, match=why):
        agents.check(load((tmp_path,), {}, {}), locate(tmp_path))


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(
    "table",
    [
        "agent = ['claude', 'codex']\n[models]\nfix = 'strong'",
        "agent = ['claude', 'codex']\n[models]\nfix = 'inherit'",
        "agent = ['claude', 'codex']\n[models]\nfix = 'opus-9'\ndiagnose = 'gpt-9'",
        "agent = ['claude', 'codex:gpt-9']\n[models]\nfix = 'opus-9'",
        "agent = ['claude', 'codex']\n[models]\nfix = 'opus-9'\n'fix.codex' = 'gpt-9'",
        "agent = ['claude', 'codex']\n[models]\nfix = { claude = 'opus-9', codex = 'gpt-9' }",
        "agent = ['claude', 'repair', 'command:true']\n[models]\nfix = 'opus-9'",
        "agent = ['claude']\nreview = 'codex'\n[models]\nfix = 'opus-9'\nreview = 'gpt-9'",
    ],
)
def test_a_model_that_only_one_maker_is_asked_for_is_nobody_else_s(
    tmp_path: Path, table: str
) -> None:
    """Tiers fit everybody; a model behind an agent's name is its own."""
    (tmp_path / "clew.toml").write_text(table)

    agents.check(load((tmp_path,), {}, {}), locate(tmp_path))


@pytest.mark.parametrize(
    ("table", "unasked"),
    [
        ("agent = ['repair', 'claude']", ("fix = 'gpt-9'",)),
        ("agent = ['claude', 'gemini']", ("fix = 'gpt-9'",)),
        ("agent = ['repair', 'claude', 'codex']", ()),
        ("agent = ['claude', 'command:true']", ()),  # it hears any
        ("agent = ['claude:opus-9']", ()),  # it has its own
        ("agent = ['repair']", ()),  # it has none
    ],
)
def test_a_model_that_nobody_takes_is_told(tmp_path: Path, table: str, unasked: tuple[str]) -> None:
    """Where somebody would go by the word, if it were one of their own."""
    table += "\n[models]\nfix = 'gpt-9'\nreview = 'opus-9'\ndiagnose = 'cheap'\n"
    (tmp_path / "clew.toml").write_text(table)

    assert unasked == agents.unused_models(load((tmp_path,), {}, {}))


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("[ladder]\nrepair = { calls = 0 }\n", "ladder cannot be read"),
        ("[ladder]\nrepair = { dollars = 1 }\n", "ladder cannot be read"),
        ("[ladder]\nrapier = { calls = 1 }\n", "unknown agent 'rapier'"),
        ("[ladder]\nclaude = { calls = 1 }\n", "caps claude, which is not asked.*: repair"),
        ("agent = ['repair', 'claude', 'repair']\n", "the ladder names repair twice"),
        ("[models]\nfixer = 'opus'\n", "names 'fixer'"),
        ("profile = 'cheapest'\n", "profile = 'cheapest' is not quality or balanced"),
        ("review = 'repair'\n", "the built-in repairer reads nothing"),
        ("review = 'command:no-such-program'\n", "no-such-program"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(tmp_path: Path, table: str, why: str) -> None:
    """Before anything runs."""
    (tmp_path / "clew.toml").write_text(table)

    with pytest.raises(UsageError, match=why):
        agents.check(load((tmp_path,), {}, {}), locate(tmp_path))


def test_a_cap_of_the_ladder_that_is_set_aside_for_one_run_is_let_be(tmp_path: Path) -> None:
    """Unless one of its kind is asked that has no cap: that looks like another name for it."""
    table = "agent = ['repair', 'command:true']\n[ladder]\n'command:true' = { calls = 1 }\n"
    (tmp_path / "clew.toml").write_text(table)
    project = locate(tmp_path)

    agents.check(load((tmp_path,), {}, {"agent": "repair"}), project)
    with pytest.raises(UsageError, match="caps command:true, which is not asked"):
        agents.check(load((tmp_path,), {}, {"agent": "command:cat"}), project)
