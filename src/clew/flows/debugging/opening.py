"""What is settled when a session is opened: written into its first event, and read back from it."""

from __future__ import annotations

from clew import __version__
from clew.git.project import Project
from clew.words import events as ev
from clew.words.settings import Settings

__all__ = ["GOAL", "opened", "set_up", "settled"]

GOAL = "make the tests pass"


def opened(
    project: Project, settings: Settings, session: str, runner_args: tuple[str, ...]
) -> ev.SessionOpened:
    """Return the event that opens a session of this name with these settings."""
    return ev.SessionOpened(
        session_id=session,
        clew_version=__version__,
        root=str(project.root),
        path=str(project.path),
        goal=GOAL,
        agents=settings.agent,
        cap=settings.max_iterations,
        agent_retries=settings.agent_retries,
        retry_wait=settings.retry_wait,
        on_invalid_report=settings.on_invalid_report,
        test_command=settings.test_command,
        junit=settings.junit,
        runner_args=runner_args,
        timeout=settings.timeout,
        test_timeout=settings.test_timeout,
        search_seconds=settings.search_seconds,
        rerun_seconds=settings.rerun_seconds,
        agent_timeout=settings.agent_timeout,
        agent_idle_timeout=settings.agent_idle_timeout,
        longest_wait=settings.longest_wait,
        memory=settings.memory,
        total_memory=settings.total_memory,
        cpu_seconds=settings.cpu_seconds,
        processes=settings.processes,
        file_size=settings.file_size,
        disk=settings.disk,
        agent_total_memory=settings.agent_total_memory,
        agent_cpu_seconds=settings.agent_cpu_seconds,
        agent_processes=settings.agent_processes,
        agent_file_size=settings.agent_file_size,
        agent_disk=settings.agent_disk,
        network=settings.network,
        pass_env=settings.pass_env,
        readable=settings.readable,
        agent_hosts=settings.agent_hosts,
        agent_leave=settings.agent_leave,
        allow_unenforced=settings.allow_unenforced,
        commands=settings.commands,
        prices=settings.prices,
        base_urls=settings.base_urls,
        budget=ev.Budget(
            seconds=settings.max_seconds,
            tokens=settings.max_tokens,
            usd=settings.max_usd,
        ),
        iteration_budget=ev.Budget(
            seconds=settings.iteration_max_seconds,
            tokens=settings.iteration_max_tokens,
            usd=settings.iteration_max_usd,
        ),
        context_tokens=settings.context_tokens,
        token_counter=settings.token_counter,
        bisect=settings.bisect,
        review=settings.review,
        document=settings.document,
        profile=settings.profile,
        models=settings.models,
        rules=ev.RULES,
        ladder=settings.ladder,
        prompts=settings.prompts,
        settings=settings.sources,
    )


def set_up(settings: Settings) -> ev.SetUpRead:
    """Return the event that has tests run with these settings from here on."""
    names = [name for name in ev.SetUpRead.__struct_fields__ if name != "settings"]
    values = {name: getattr(settings, name) for name in names}
    sources = {name: source for name, source in settings.sources.items() if name in values}
    return ev.SetUpRead(settings=sources, **values)


def settled(opening: ev.SessionOpened) -> Settings:
    """Return the settings that the session was opened with: they hold for its whole life."""
    return Settings(
        test_command=opening.test_command,
        junit=opening.junit,
        agent=opening.agents,
        max_iterations=opening.cap,
        agent_retries=opening.agent_retries,
        retry_wait=opening.retry_wait,
        on_invalid_report=opening.on_invalid_report,
        timeout=opening.timeout,
        test_timeout=opening.test_timeout,
        search_seconds=opening.search_seconds,
        rerun_seconds=opening.rerun_seconds,
        agent_timeout=opening.agent_timeout,
        agent_idle_timeout=opening.agent_idle_timeout,
        longest_wait=opening.longest_wait,
        memory=opening.memory,
        total_memory=opening.total_memory,
        cpu_seconds=opening.cpu_seconds,
        processes=opening.processes,
        file_size=opening.file_size,
        disk=opening.disk,
        agent_total_memory=opening.agent_total_memory,
        agent_cpu_seconds=opening.agent_cpu_seconds,
        agent_processes=opening.agent_processes,
        agent_file_size=opening.agent_file_size,
        agent_disk=opening.agent_disk,
        network=opening.network,
        pass_env=opening.pass_env,
        readable=opening.readable,
        agent_hosts=opening.agent_hosts,
        agent_leave=opening.agent_leave,
        allow_unenforced=opening.allow_unenforced,
        commands=opening.commands,
        prices=opening.prices,
        base_urls=opening.base_urls,
        max_seconds=opening.budget.seconds,
        max_tokens=opening.budget.tokens,
        max_usd=opening.budget.usd,
        iteration_max_seconds=opening.iteration_budget.seconds,
        iteration_max_tokens=opening.iteration_budget.tokens,
        iteration_max_usd=opening.iteration_budget.usd,
        context_tokens=opening.context_tokens,
        token_counter=opening.token_counter,
        bisect=opening.bisect,
        review=opening.review,
        document=opening.document,
        profile=opening.profile,
        models=opening.models,
        ladder=opening.ladder,
        prompts=opening.prompts,
        sources=opening.settings,
    )
