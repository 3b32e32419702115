"""Every back-end, by the word that names it on a ladder."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple, TypeGuard

from clew.agents.about import About
from clew.agents.acp import Acp
from clew.agents.claude import Claude
from clew.agents.cli_agent import CliAgent
from clew.agents.codex import Codex
from clew.agents.command import Command
from clew.agents.external_agent import ExternalAgent
from clew.agents.gemini import Gemini
from clew.agents.llm import Llm
from clew.agents.opencode import Opencode
from clew.agents.protocol import Agent
from clew.agents.repairer import Repairer
from clew.agents.replaying import Replay
from clew.agents.roles import ROLES
from clew.git.project import Project
from clew.sandbox import confinement
from clew.sandbox.confinement import hosts
from clew.words.errors import UsageError
from clew.words.facts import BUILT_IN
from clew.words.models import AUTO, INHERIT, NOBODY, SAME, TIERS, is_foreign
from clew.words.settings import FOR_ONE_RUN, Settings

__all__ = [
    "BACK_ENDS",
    "BUILT_IN",
    "BackEnd",
    "check",
    "make",
    "network",
    "ready",
    "unconfined_agents",
    "unheld",
    "unused_models",
    "with_model",
]

Make = Callable[[str, Settings, Project], Agent]


class BackEnd(NamedTuple):
    """What a back-end is, and how one is made from what stands behind its word."""

    about: About
    make: Make


def _repairer(_line: str, _settings: Settings, _project: Project) -> Agent:
    return Repairer()


def _replay(path: str, _settings: Settings, project: Project) -> Agent:
    played = None if (project.path / path).is_file() else Replay.of_session(path, project)
    return played or Replay.of_file(project.path / path)


def _llm(words: str, settings: Settings, project: Project) -> Agent:
    return Llm(words, settings=settings, project=project)


def _command(line: str, settings: Settings, project: Project) -> Agent:
    return Command(_split(line, Command.about), project=project, pass_env=settings.pass_env)


def _acp(line: str, settings: Settings, project: Project) -> Agent:
    argv = _split(line, Acp.about)
    return Acp(
        argv,
        project=project,
        pass_env=settings.pass_env,
        kin=_kin(argv[0]),
        granted=settings.agent_leave,
    )


def _split(line: str, about: About) -> tuple[str, ...]:
    try:
        argv = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"the agent's command line {line!r} cannot be split: {error}") from error
    if not argv:
        hint = f"Write {about.word}:PROGRAM ARGS."
        raise UsageError("an agent's command line is empty", hint=hint)
    return tuple(argv)


def _kin(program: str) -> type[CliAgent] | None:
    """Return the agent that a program speaks for: `gemini` itself, `claude-agent-acp` and so on."""
    name = Path(program).name
    return next(
        (k for k in ASSISTANTS if name == k.about.program or name.startswith(f"{k.about.word}-")),
        None,
    )


def _assistant(kind: type[CliAgent]) -> BackEnd:
    def made(model: str, settings: Settings, project: Project) -> Agent:
        return kind(model, project=project, pass_env=settings.pass_env)

    return BackEnd(kind.about, made)


ASSISTANTS: tuple[type[CliAgent], ...] = (Claude, Gemini, Codex, Opencode)

BACK_ENDS: dict[str, BackEnd] = {
    back_end.about.word: back_end
    for back_end in (
        BackEnd(Repairer.about, _repairer),
        *map(_assistant, ASSISTANTS),
        BackEnd(Llm.about, _llm),
        BackEnd(Acp.about, _acp),
        BackEnd(Command.about, _command),
        BackEnd(Replay.about, _replay),
    )
}


def make(name: str, settings: Settings, project: Project) -> Agent:
    """Return the agent of that name, ready to be called. Raises UsageError."""
    word, _, rest = name.partition(":")
    if name in settings.commands:
        word, rest = Command.about.word, settings.commands[name]
    if word not in BACK_ENDS:
        raise _unknown(name, settings)
    agent = BACK_ENDS[word].make(rest, settings, project)
    if isinstance(agent, ExternalAgent):
        agent.more_hosts = settings.agent_hosts
    return agent


def _unknown(name: str, settings: Settings) -> UsageError:
    known = ", ".join((*BACK_ENDS, *settings.commands))
    more = "" if name != settings.challenge else f"; or {AUTO}, {SAME} or {NOBODY}"
    return UsageError(f"unknown agent {name[:80]!r}", hint=f"Known: {known}{more}")


def network(name: str, settings: Settings, project: Project) -> str:
    """Say what of the network an agent reaches: `open`, `gated`, or nothing for one inside Clew."""
    agent = make(name, settings, project)
    if not _is_program(agent):
        return ""
    gated = agent.hosts and confinement.detect().level is confinement.Level.NAMESPACE
    return "gated" if gated else "open"


def unconfined_agents(settings: Settings, project: Project) -> tuple[str, ...]:
    """Return the agents of a session that reach every host, for people to know beforehand."""
    names = dict.fromkeys(_asked(settings))
    return tuple(name for name in names if network(name, settings, project) == "open")


def _is_program(agent: Agent) -> TypeGuard[ExternalAgent]:
    return isinstance(agent, ExternalAgent) and not isinstance(agent, Llm)


def ready(name: str, settings: Settings, project: Project) -> Agent:
    """Return an agent that is there, and that something holds. Raises UsageError."""
    agent = make(name, settings, project)
    if isinstance(agent, ExternalAgent):
        agent.look()
    if why := unheld(agent, name, settings):
        raise UsageError(
            why,
            hint="`clew doctor` says why; `allow_unenforced` lets it run, and Clew checks"
            " afterwards.",
        )
    return agent


def unheld(agent: Agent, name: str, settings: Settings) -> str:
    """Say that nothing keeps an agent from writing; nothing where that is not so, or allowed."""
    loose = _is_program(agent) and confinement.detect().level is confinement.Level.NONE
    if settings.allow_unenforced or not loose:
        return ""
    return (
        f"nothing would keep {name} from writing while it only has to read: there is no sandbox"
        " here"
    )


def with_model(name: str, wish: str, settings: Settings) -> tuple[str, str]:
    """Return the agent's name with the model that is wished for, and that model as it knows it.

    A model that the name has already stays. A back-end without a name for a tier, or without
    models, is asked as it is configured.
    """
    word, _, rest = name.partition(":")
    if _is_own(name, settings):
        return name, wish
    about = BACK_ENDS[word].about if word in BACK_ENDS else None
    if about is None or not about.models:
        return name, ""
    model = rest or (about.tiers.get(wish, "") if wish in TIERS else wish)
    return (f"{word}:{model}" if model else word), model


def check(settings: Settings, project: Project) -> None:
    """Raise UsageError for a ladder that cannot be climbed, before a session is opened."""
    _check_hosts(settings)
    asked = _asked(settings)
    _check_places(settings.agent)
    for name in asked:
        ready(name, settings, project)
    for role, name in _alone(settings).items():
        if name == BUILT_IN:
            told = f"{role}: the built-in repairer reads nothing"
            raise UsageError(told, hint="Name another agent.")
    _check_caps(settings, project, asked)
    _check_models(settings)


def _asked(settings: Settings) -> tuple[str, ...]:
    return (*settings.agent, *filter(None, _alone(settings).values()))


def _alone(settings: Settings) -> dict[str, str]:
    """Return the agents that are asked in one role alone, by that role; empty for nobody."""
    return {
        "review": settings.review,
        "challenge": "" if settings.challenge in (AUTO, SAME, NOBODY) else settings.challenge,
        "document": settings.document,
    }


def _check_hosts(settings: Settings) -> None:
    own = hosts.own_ports(map(hosts.parse, settings.agent_hosts))
    if len(own) >= hosts.DOORS:
        raise UsageError(
            f"agent_hosts names {len(own)} ports of this machine, and an agent can call"
            f" {hosts.DOORS - 1}",
            hint="Leave out those that no agent needs.",
        )


def _check_models(settings: Settings) -> None:
    """Refuse a model that nobody knows of whom it is to be asked, or that one cannot be asked."""
    for key, wish in settings.models.items():
        role, _, word = key.partition(".")
        if role not in ROLES:
            raise UsageError(f"[models] names {role!r}", hint=f"Roles: {', '.join(ROLES)}.")
        if word:
            _check_taker(key, word, settings)
        elif wish not in (*TIERS, INHERIT) and len(takers := _takers(role, wish, settings)) > 1:
            example = ", ".join(f'{taker} = "…"' for taker in takers)
            raise UsageError(
                f"[models] {role} = {wish!r} would be asked of {' and of '.join(takers)}",
                hint=f"Say whose it is: {role} = {{ {example} }}; or name a tier.",
            )


def _check_taker(key: str, word: str, settings: Settings) -> None:
    if word in settings.commands or word == Command.about.word:
        return
    if word not in BACK_ENDS:
        told = f"[models] {key}: unknown agent {word!r}"
        raise UsageError(told, hint=f"Known: {', '.join((*BACK_ENDS, *settings.commands))}")
    if not BACK_ENDS[word].about.models:
        raise UsageError(f"[models] {key}: {word} takes no model", hint="Take that line away.")


def unused_models(settings: Settings, roles: Collection[str] = ROLES) -> tuple[str, ...]:
    """Return what `models` says in vain, as `fix = 'gpt-9'` where those who fix are no kin of it.

    Nothing where any agent of that role takes the model, or none would go by that word.
    """
    return tuple(
        f"{role} = {model!r}"
        for role, model in settings.models.items()
        if role in roles and model not in (*TIERS, INHERIT)
        if _hearers(role, settings)
        and not _takers(role, model, settings)
        and not any(_is_own(name, settings) for name in _asked_in(role, settings))
    )


def _asked_in(role: str, settings: Settings) -> tuple[str, ...]:
    alone = _alone(settings)
    return (alone[role],) if role in alone else settings.agent


def _is_own(name: str, settings: Settings) -> bool:
    """Tell whether an agent is a command of the person's, which hears any model."""
    return name in settings.commands or name.partition(":")[0] == Command.about.word


def _hearers(role: str, settings: Settings) -> tuple[str, ...]:
    """Return the kinds of agents that go by a model that is named for a role, and for nobody."""
    words = (name.partition(":")[0] for name in _asked_in(role, settings) if ":" not in name)
    return tuple(
        dict.fromkeys(
            word
            for word in words
            if word not in settings.commands
            and word in BACK_ENDS
            and BACK_ENDS[word].about.models
            and f"{role}.{word}" not in settings.models
        )
    )


def _takers(role: str, model: str, settings: Settings) -> tuple[str, ...]:
    """Return those of them that can be asked for that model."""
    return tuple(word for word in _hearers(role, settings) if not is_foreign(model, word))


def _check_places(ladder: tuple[str, ...]) -> None:
    for name in ladder:
        if ladder.count(name) > 1:
            raise UsageError(
                f"the ladder names {name} twice",
                hint="Each agent has one place on it: every iteration begins at the first again.",
            )


def _check_caps(settings: Settings, project: Project, asked: tuple[str, ...]) -> None:
    for name in settings.ladder:
        make(name, settings, project)
        if name not in asked and not _is_set_aside(name, asked, settings):
            raise UsageError(
                f"[ladder] caps {name}, which is not asked; those that are: {', '.join(asked)}",
                hint="Write the name as in `agent` or `review`, or remove the limit.",
            )


def _is_set_aside(name: str, asked: tuple[str, ...], settings: Settings) -> bool:
    """Tell whether a capped agent is left out on purpose: the ladder is another for this run.

    It is not where one of its kind has no cap: that may well be the one that was meant.
    """
    word = name.partition(":")[0]
    loose = {each.partition(":")[0] for each in asked if each not in settings.ladder}
    return settings.sources.get("agent") in FOR_ONE_RUN and word not in loose
