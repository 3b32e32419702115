"""What tests and agents may take: from the settings, and told by the settings' names."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from clew.sandbox import limits
from clew.sandbox.confinement import Limits, cgroups
from clew.sandbox.resource_usage import Whose
from clew.words.declared import DECLARED
from clew.words.settings import Settings, load

NAMES = {declared.name for declared in DECLARED}
PREFIX = {Whose.TESTS: "", Whose.AGENTS: "agent_"}
SETTINGS = {
    "total_memory": "0.5",
    "cpu_seconds": "7.5",
    "processes": "77",
    "file_size": "0.25",
    "disk": "2",
}


@pytest.mark.parametrize("whose", Whose)
def test_every_setting_bounds_those_that_it_names(whose: Whose) -> None:
    """And nobody else."""
    given = {f"CLEW_{PREFIX[whose].upper()}{name.upper()}": v for name, v in SETTINGS.items()}
    settings = load((), given | {"CLEW_MEMORY": "0.4"}, {})
    tests, agents = limits.for_tests(settings), limits.for_agents(settings)
    expected = Limits(
        whose=whose,
        memory_bytes=400_000_000 if whose is Whose.TESTS else None,
        total_bytes=500_000_000,
        cpu_seconds=8,
        processes=77,
        file_bytes=250_000_000,
        disk_bytes=2_000_000_000,
    )
    found, other = (tests, agents) if whose is Whose.TESTS else (agents, tests)

    assert expected == found
    assert not {77, 8, 250_000_000} & {other.processes, other.cpu_seconds, other.file_bytes}


@pytest.mark.parametrize(("cores", "most"), [(2, 57_600), (None, 57_600), (64, 460_800)])
def test_time_of_a_processor_suffices_for_what_the_clock_allows(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, most: int
) -> None:
    """Nothing that keeps all of the processors busy is ended before its time is up."""
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    long = Settings(timeout=7_200, agent_timeout=10)

    assert (most, 3_600) == (
        limits.for_tests(long).cpu_seconds,
        limits.for_agents(long).cpu_seconds,
    )
    assert 10**9 == limits.for_tests(Settings(timeout=10**11)).cpu_seconds


@pytest.mark.parametrize(
    ("own", "files", "most"),
    [
        ("0::/a/b", {"a/b/memory.max": "max", "a/memory.max": "3000"}, 3_000),
        ("0::/", {"memory.max": "2000"}, 2_000),  # as it is in a container
        ("0::/elsewhere", {"memory.max": "2000"}, 2_000),
        ("4:memory:/a\n0::/", {"memory/a/memory.limit_in_bytes": "1000"}, 1_000),
        ("4:cpu:/a\n0::/", {"a/memory.max": "1000"}, None),
        ("0::/", {"memory.max": str(1 << 63)}, None),
        ("", {}, None),
        (None, {}, None),  # a kernel without control groups has no such file
    ],
)
def test_the_memory_of_a_container_is_what_there_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: str | None,
    files: dict[str, str],
    most: int | None,
) -> None:
    """The least of its control groups', never more than the machine's; both versions are read."""
    for name, said in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{said}\n")
    if own is not None:
        (tmp_path / "cgroup").write_text(f"{own}\n" if own else "")
    monkeypatch.setattr(cgroups, "GROUPS", tmp_path)
    monkeypatch.setattr(cgroups, "OWN", tmp_path / "cgroup")
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    assert (most or physical) == limits.machine()


WORDS = {
    "memory": ["MemoryError", "fork: Cannot allocate memory"],
    "cpu_seconds": ["died with <Signals.SIGXCPU: 24>.", "ended the process with signal 24"],
    "file_size": ["OSError: [Errno 27] File too large", "signal 25", "EFBIG: file too large"],
}


@pytest.mark.parametrize(("limited", "whose"), [(limits.TESTS, ""), (limits.AGENTS, "agent_")])
def test_the_words_of_a_limit_name_its_setting(limited: Limits, whose: str) -> None:
    """Where there is such a limit; and the setting exists."""
    for name, said in WORDS.items():
        bound = f"{whose}{name}"
        expected = [bound] * len(said) if bound in NAMES else []
        told = " ".join(limits.remark(words, limited) for words in said)

        assert expected == re.findall(r"`(\w+)`", told)
    assert "" == limits.remark("signal 2, signal 240", limited)
