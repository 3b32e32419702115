"""What no session could be carried out with is refused before one is opened."""

from __future__ import annotations

from clew import agents, runners
from clew.agents import prompts
from clew.analysis.context import counter
from clew.git.own_folder import own_folder
from clew.git.project import Project, is_ignored
from clew.journal import crashpoints
from clew.journal.store import state_folder
from clew.sandbox import confinement
from clew.words.errors import UsageError
from clew.words.settings import Settings, TestSettings

__all__ = ["check_settings", "check_tests"]


def check_settings(settings: Settings, project: Project) -> None:
    """Raise UsageError for what no session could be carried out with."""
    try:
        str(project.path).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the path {str(project.path)!a} is not UTF-8", hint="Rename that folder."
        ) from error
    confinement.detect()
    crashpoints.check()
    agents.check(settings, project)
    prompts.check(settings.prompts)
    counter(settings.token_counter)
    _check_place(project)
    check_tests(settings)
    own_folder(project.root)


def check_tests(settings: TestSettings) -> None:
    if settings.test_command is not None:
        runners.split(settings.test_command)
    if settings.junit is not None:
        runners.pattern(settings.junit)


def _check_place(project: Project) -> None:
    """Keep Clew's own files out of what is mended."""
    folder = state_folder().resolve()
    if folder.is_relative_to(project.root) and not is_ignored(project, folder):
        raise UsageError(
            f"the state folder {folder} lies in the project, and is not ignored there",
            hint="Set CLEW_STATE_HOME to a folder outside, or let git ignore it.",
        )
