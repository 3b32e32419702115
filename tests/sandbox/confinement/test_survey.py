"""The level is found by trying, and told with reasons."""

from __future__ import annotations

import pytest

from clew.sandbox.confinement import Level, Survey, detect, examine, launcher, namespace, survey
from clew.words.errors import SandboxUnavailable, UsageError


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what was found before, and after."""
    monkeypatch.delenv("CLEW_SANDBOX", raising=False)
    monkeypatch.setattr(survey, "examine", survey.examine.__wrapped__)
    monkeypatch.setattr(survey, "_strongest", survey._strongest.__wrapped__)


def no_program(_: str) -> None:
    """Find nothing on PATH."""


def test_the_strongest_level_that_works_is_chosen(fresh: None) -> None:
    """Every level above it says why it does not work."""
    found = detect()
    stronger = list(Level)[: list(Level).index(found.level)]

    assert () == examine(found.level)
    assert all(set(examine(level)) <= set(found.reasons) for level in stronger)


def test_without_bubblewrap_the_next_level_is_taken(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the reason says how to get it."""
    monkeypatch.setattr("shutil.which", no_program)
    found = detect()

    assert (False, True) == (
        found.level is Level.NAMESPACE,
        "apt install bubblewrap" in found.reasons[0],
    )


def test_without_anything_the_survey_says_so(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is confined, and nobody is told otherwise."""
    monkeypatch.setattr("shutil.which", no_program)
    monkeypatch.setattr(launcher, "landlock_abi", lambda: 0)
    found = detect()

    assert (Level.NONE, True) == (found.level, "Nothing keeps" in found.reasons[-1])


def test_a_bubblewrap_that_fails_is_quoted(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it said is the reason."""
    monkeypatch.setattr(namespace, "PROGRAM", "false")
    found = detect()

    assert (False, True) == (
        found.level is Level.NAMESPACE,
        found.reasons[0].startswith("bubblewrap does not work here"),
    )


@pytest.mark.parametrize("level", Level)
def test_a_level_can_be_asked_for(
    fresh: None, monkeypatch: pytest.MonkeyPatch, level: Level
) -> None:
    """The variable decides, if the machine can."""
    if why := examine(level):
        pytest.skip(" ".join(why))
    monkeypatch.setenv("CLEW_SANDBOX", level.value)

    assert level == detect().level


def test_an_unknown_level_is_bad_usage(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the word and the words there are."""
    monkeypatch.setenv("CLEW_SANDBOX", "jail")

    with pytest.raises(UsageError, match="jail") as caught:
        detect()

    assert "namespace, landlock, none" in caught.value.hint


def test_a_level_that_does_not_work_cannot_be_had(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for more than there is gets an error, not less."""
    monkeypatch.setenv("CLEW_SANDBOX", "namespace")
    monkeypatch.setattr("shutil.which", no_program)

    with pytest.raises(SandboxUnavailable, match="not installed"):
        detect()


def test_a_survey_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer is the first."""
    monkeypatch.delenv("CLEW_SANDBOX", raising=False)
    first: Survey = detect()

    assert first is detect()


def test_what_landlock_leaves_open_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of it on a machine whose calls nobody told apart."""
    known = set(survey.gaps(Level.LANDLOCK))
    monkeypatch.setattr("clew.sandbox.confinement.calls.MACHINES", {})
    unknown = set(survey.gaps(Level.LANDLOCK)) - known

    assert (True, False) == tuple("priority" in " ".join(said) for said in (known, unknown))
    assert (False, True) == tuple("System V" in " ".join(said) for said in (known, unknown))


@pytest.mark.parametrize(("system", "name"), [("darwin", "macOS"), ("freebsd14", "freebsd14")])
@pytest.mark.parametrize("asked", ["", "none"])
def test_on_another_system_nothing_runs_and_nothing_of_linux_is_advised(
    monkeypatch: pytest.MonkeyPatch, system: str, name: str, asked: str
) -> None:
    """It says what that system lacks and where to work instead, whatever was asked for."""
    monkeypatch.setenv("CLEW_SANDBOX", asked)
    said = [" ".join((*examine(level, system), *survey.gaps(level, system))) for level in Level]

    with pytest.raises(SandboxUnavailable, match=f"^{name} offers nothing") as caught:
        detect(system)

    told = [*said, caught.value.message]
    assert [True] * len(told) == [name in each for each in told]
    assert [False] * len(told) == [" apt " in each or "sysctl" in each for each in told]
    assert "Linux container or virtual machine" in caught.value.hint
