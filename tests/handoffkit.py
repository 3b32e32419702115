"""Sessions that hand off: a project, a tmux server of its own, a stand-in agent, a real one."""

from __future__ import annotations

import json
import os
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from clew.handoff.records import HandoffStore
from clew.hooks.installing import ENTRY
from commandline import REPOSITORY, CommandLine

__all__ = ["AGENTS", "Hands", "Tmux", "project", "until"]

AGENTS = REPOSITORY / ".venv" / "agents" / "bin"
KEY = "sk-none-0123456789abcdef"
COMMANDS = ("discuss-phase", "plan-phase", "execute-plan", "complete-milestone")

# What an agent does as far as a hand-off sees it: hooks, a line read from the terminal, `/exit`.
# `says` maps what was typed to the answer.
STAND_IN = """\
import json, os, subprocess, sys, uuid

session, words = str(uuid.uuid4()), sys.argv[1:]
headless = "-p" in words
typed = words[-1] if words else ""
here = os.path.dirname(os.path.abspath(__file__))
transcript = os.path.join(here, session + ".jsonl")
own = {"session_id": session, "transcript_path": transcript, "cwd": os.getcwd()}
env = {**os.environ, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli" if headless else "cli"}

def hook(event, **more):
    payload = json.dumps({**own, "hook_event_name": event, **more})
    done = subprocess.run(HOOK, input=payload, text=True, capture_output=True, env=env)
    note("hook", event=event, code=done.returncode, out=done.stdout, err=done.stderr)

def note(kind, **more):
    with open(os.path.join(here, "agent.log"), "a") as file:
        file.write(json.dumps({"kind": kind, "session": session, "words": words, **more}) + "\\n")

def record(kind, text):
    with open(transcript, "a") as file:
        file.write(json.dumps({"type": kind, "isSidechain": False, "uuid": str(uuid.uuid4()),
            "message": {"id": str(uuid.uuid4()), "role": kind, "usage": {"input_tokens": 10},
                        "content": text if kind == "user" else [{"type": "text", "text": text}]}})
            + "\\n")

if os.path.exists(die := os.path.join(here, "die")):
    with open(die) as file:
        once = file.read() == "once"
    if once:
        os.unlink(die)
    sys.exit(1)
note("began")
if os.path.exists(os.path.join(here, "mute")):
    input()
hook("SessionStart", source="startup")
while True:
    note("typed", text=typed)
    record("user", typed)
    with open(os.path.join(here, "says.json")) as file:
        says = json.load(file)
    answer = says.get(typed, says.get("*", "done"))
    record("assistant", answer)
    if os.path.exists(lost := os.path.join(here, "lost")):
        os.unlink(lost)
        headless = True  # it ends without a stop hook
        break
    hook("Stop", stop_hook_active=False, last_assistant_message=answer)
    if headless:
        break
    typed = input("> ").strip()
    while typed == "/exit" and os.path.exists(os.path.join(here, "deaf")):
        typed = input("> ").strip()
    if typed == "/exit":
        record("user", "<command-name>/exit</command-name>")
        while os.path.exists(os.path.join(here, "slow")):
            with open(os.path.join(here, "slow")) as pipe:
                pipe.read()
        break
hook("SessionEnd", reason="other" if headless else "prompt_input_exit")
note("ended")
"""


def until(holds: Callable[[], object], seconds: float = 180.0, what: str = "") -> None:
    """Wait until something holds that another process brings about."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what or "it did not come about"
        select.select([], [], [], 0.02)


class Tmux:
    """A tmux server of the test's own."""

    def __init__(self, socket: Path, environment: Mapping[str, str]) -> None:
        self.socket = socket
        self.environment = dict(environment)

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", "/dev/null", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.rstrip("\n")

    def panes(self) -> dict[str, str]:
        """Every window's id with the id of its pane."""
        listed = self("list-panes", "-a", "-F", "#{window_id} #{pane_id}")
        return dict(line.split() for line in listed.splitlines())

    def shown(self, pane: str) -> str:
        return self("capture-pane", "-p", "-t", pane)

    def open(self, folder: Path, *words: str) -> tuple[str, str]:
        """Run a program in a new window; return its window's and pane's ids."""
        said = self(
            "new-window", "-d", "-P", "-F", "#{window_id} #{pane_id}", "-c", str(folder), *words
        )
        window, pane = said.split()
        return window, pane


@dataclass
class Hands:
    """A project with its hooks, and what can be seen of its hand-offs."""

    clew: CommandLine
    bin: Path
    env: dict[str, str]
    spawn: dict[str, Any] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.clew.project

    @property
    def desk(self) -> HandoffStore:
        before = os.environ.get("CLEW_STATE_HOME")
        os.environ["CLEW_STATE_HOME"] = str(self.clew.state)
        try:
            return HandoffStore(os.path.realpath(self.root))
        finally:
            if before is None:
                del os.environ["CLEW_STATE_HOME"]
            else:
                os.environ["CLEW_STATE_HOME"] = before

    def configure(self, mode: str = "yolo", **spawn: object) -> None:
        planning = self.root / ".planning"
        planning.mkdir(exist_ok=True)
        self.spawn |= spawn
        (planning / "config.json").write_text(json.dumps({"mode": mode, "spawn": self.spawn}))

    def prefer(self, **keys: object) -> None:
        """Write the person's own file."""
        path = Path(self.env["HOME"]) / ".config" / "clew" / "hand-off.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(keys))

    def hook(self, payload: Mapping[str, object], **env: str) -> subprocess.CompletedProcess[str]:
        """Run the hook as the agent does."""
        return self.start_hook(payload, **env)()

    def start_hook(
        self, payload: Mapping[str, object], agent: str = "claude", **env: str
    ) -> Callable[[], subprocess.CompletedProcess[str]]:
        """Start a hook; the result waits for it."""
        words = [sys.executable, "-I", "-S", str(ENTRY), agent]
        process = subprocess.Popen(
            words,
            env=self.env | {"CLAUDE_CODE_ENTRYPOINT": "cli"} | env,
            cwd=self.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with cast("IO[str]", process.stdin) as stdin:  # now: a hook does not wait long for it
            stdin.write(json.dumps(payload))
        process.stdin = None

        def wait() -> subprocess.CompletedProcess[str]:
            out, err = process.communicate(timeout=60)
            return subprocess.CompletedProcess(words, process.returncode, out, err)

        return wait

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """Lines of all chains, in order; of these kinds, or all."""
        desk = self.desk
        lines = [dict(line) for name in desk.chains() for line in desk.chain(name).lines]
        return [line for line in lines if not kinds or line["event"] in kinds]

    def seen(self, *kinds: str) -> list[str]:
        """What happened, in order: a session may report before the courier notes its window."""
        seen = [line["event"] for line in self.events(*kinds)]
        for at in range(1, len(seen)):
            if seen[at - 1 : at + 1] == ["started", "opened"]:
                seen[at - 1 : at + 1] = ["opened", "started"]
        return seen

    def log(self) -> str:
        path = self.clew.state / "hand-off" / "hooks.log"
        return path.read_text() if path.exists() else ""

    # --- the stand-in agent ----------------------------------------------------------------------

    def stand_in(self, says: Mapping[str, str]) -> Path:
        """Put an agent that speaks by a list on the PATH, as `claude`."""
        self.bin.mkdir(parents=True, exist_ok=True)
        (self.bin / "says.json").write_text(json.dumps(says))
        hook = [sys.executable, "-I", "-S", str(ENTRY), "claude"]
        script = STAND_IN.replace("HOOK", repr(hook))
        program = self.bin / "claude"
        program.write_text(f"#!{sys.executable} -IS\n{script}")
        program.chmod(0o755)
        return program

    def agent_log(self, kind: str) -> list[dict[str, Any]]:
        path = self.bin / "agent.log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [found for line in lines if (found := json.loads(line))["kind"] == kind]


def project(folder: Path) -> Hands:
    """Make an empty project with a person's home beside it; hand-off is on."""
    root, home, state = folder / "project", folder / "home", folder / "state"
    for each in (root, home, state):
        each.mkdir(parents=True)
    bin_ = folder / "bin"
    env = {
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "CLEW_STATE_HOME": str(state),
    }
    hands = Hands(CommandLine(root, state, env), bin_, env)
    hands.configure()
    return hands


@contextmanager
def tmux(folder: Path, environment: Mapping[str, str]) -> Iterator[Tmux]:
    """Run a tmux server while the block runs, with one window that does nothing."""
    server = Tmux(folder / "tmux", environment)
    server("new-session", "-d", "-s", "main", "-x", "160", "-y", "48", "sleep", "900")
    try:
        yield server
    finally:
        server("kill-server")


def real_claude(hands: Hands, url: str) -> None:
    """Let `claude` be the real binary, in a home that knows nothing but the test's model."""
    home = Path(hands.env["HOME"])
    settings = home / ".claude"
    settings.mkdir(exist_ok=True)
    seen = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(hands.root): {"hasTrustDialogAccepted": True}},
    }
    (settings / ".claude.json").write_text(json.dumps(seen))
    hands.bin.mkdir(exist_ok=True)
    (hands.bin / "claude").symlink_to(AGENTS / "claude")
    hands.env |= {
        "CLAUDE_CONFIG_DIR": str(settings),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    commands = hands.root / ".claude" / "commands" / "gsd"
    commands.mkdir(parents=True)
    for name in COMMANDS:
        (commands / f"{name}.md").write_text(
            f"---\ndescription: {name}\n---\nDo {name}: $ARGUMENTS\n"
        )


# Without the last word on updates it asks for news of them over the network.
GEMINI_SETTINGS: dict[str, Any] = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "model": {"name": "gemini-2.5-flash"},  # one that is named is not chosen by another request
    "privacy": {"usageStatisticsEnabled": False},
    "security": {
        "auth": {"selectedType": "gemini-api-key"},
        "folderTrust": {"enabled": False},
    },
    "telemetry": {"enabled": False},
    "ui": {"hideTips": True},
}


def real_gemini(hands: Hands, url: str) -> None:
    """Let `gemini` be the real program, in a home that knows nothing but the test's model."""
    settings = Path(hands.env["HOME"]) / ".gemini" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps(GEMINI_SETTINGS, indent=2))
    hands.bin.mkdir(exist_ok=True)
    (hands.bin / "gemini").symlink_to(AGENTS / "gemini")
    hands.env |= {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": url,
        "COLORTERM": "truecolor",
    }
    commands = hands.root / ".gemini" / "commands" / "gsd"
    commands.mkdir(parents=True)
    for name in COMMANDS:
        (commands / f"{name}.toml").write_text(f"prompt = 'Do {name}: {{{{args}}}}'\n")


RECORDER = """\
import json, os, sys

payload = json.load(sys.stdin)
with open(sys.argv[1], "a") as file:
    file.write(json.dumps(payload) + "\\n")
"""


def recorded(hands: Hands, settings: Path, events: Iterable[str]) -> Path:
    """Have an agent hand the payloads of its events to a second hook, which writes them down."""
    program, log = hands.bin / "recorder.py", hands.bin / "payloads.jsonl"
    program.write_text(RECORDER)
    command = shlex.join([sys.executable, "-I", "-S", str(program), str(log)])
    held = json.loads(settings.read_text())
    for event in events:
        group = {"hooks": [{"type": "command", "command": command}]}
        held.setdefault("hooks", {}).setdefault(event, []).append(group)
    settings.write_text(json.dumps(held))
    return log
