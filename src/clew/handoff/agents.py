"""The agents that a chain can be made of: what each calls things, one row each."""

from __future__ import annotations

__all__ = ["AGENTS", "AgentProgram"]


ROWS = 8  # of an input line that is cleared row by row


class AgentProgram:
    """One agent program. Never changed."""

    __slots__ = (
        "bypass",
        "carried",
        "cleared",
        "events",
        "folder",
        "headless",
        "home",
        "interactive",
        "joined",
        "leave",
        "message",
        "name",
        "notes",
        "own",
        "terminal",
        "timeout",
        "turn",
    )

    def __init__(
        self,
        *,
        name: str,
        events: dict[str, str],
        message: str,
        joined: bool,
        turn: str,
        interactive: tuple[str, ...],
        headless: tuple[str, ...],
        bypass: tuple[str, ...],
        leave: str,
        cleared: tuple[str, ...],
        own: tuple[str, ...],
        terminal: tuple[str, str] | None,
        carried: tuple[str, ...],
        folder: str,
        home: str,
        timeout: int,
        notes: dict[str, str],
    ) -> None:
        self.name = name  # of the program too
        self.events = events  # its hook event -> start, stop, end
        self.message = message  # payload's field: what the agent said last
        self.joined = joined  # that field holds all messages of the turn, a line each
        self.turn = turn  # payload's field: what names the turn
        self.interactive = interactive  # words before the command, for a session with a terminal
        self.headless = headless  # the same, for one without
        self.bypass = bypass  # words that skip its permission prompts
        self.leave = leave  # typed to end it
        self.cleared = cleared  # keys that empty its input line
        self.own = own  # variables that tell a child of it from a new session
        self.terminal = terminal  # variable and value that say that a person sits before it
        self.carried = carried  # variables that a session in a new window needs as well
        self.folder = folder  # of its settings
        self.home = home  # variable that moves the person's own settings
        self.timeout = timeout  # for a hook, in its unit
        self.notes = notes  # what else its settings say of a hook


AGENTS = {
    agent.name: agent
    for agent in (
        AgentProgram(
            name="claude",
            events={"SessionStart": "start", "Stop": "stop", "SessionEnd": "end"},
            message="last_assistant_message",
            joined=False,
            turn="prompt_id",
            interactive=(),
            headless=("-p",),
            bypass=("--dangerously-skip-permissions",),
            leave="/exit",
            cleared=("C-e", "C-u"),
            own=(
                "CLAUDECODE",
                "CLAUDE_CODE_CHILD_SESSION",
                "CLAUDE_CODE_ENTRYPOINT",
                "CLAUDE_CODE_SESSION_ID",
                "CLAUDE_EFFORT",
                "CLAUDE_ENV_FILE",
                "CLAUDE_PROJECT_DIR",
            ),
            terminal=("CLAUDE_CODE_ENTRYPOINT", "cli"),
            carried=("CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL"),
            folder=".claude",
            home="CLAUDE_CONFIG_DIR",
            timeout=10,
            notes={},
        ),
        AgentProgram(
            name="gemini",
            events={"SessionStart": "start", "AfterAgent": "stop", "SessionEnd": "end"},
            message="prompt_response",
            joined=True,
            turn="timestamp",
            interactive=("-i",),
            headless=("-p",),
            bypass=("--approval-mode", "yolo"),
            leave="/quit",
            cleared=("C-e", *("C-u", "BSpace") * ROWS, "C-u"),
            own=(
                "CLAUDE_PROJECT_DIR",
                "GEMINI_CLI",
                "GEMINI_CLI_NO_RELAUNCH",
                "GEMINI_CWD",
                "GEMINI_PLANS_DIR",
                "GEMINI_PROJECT_DIR",
                "GEMINI_SESSION_ID",
            ),
            terminal=None,
            carried=("GEMINI_CLI_HOME", "GOOGLE_GEMINI_BASE_URL"),
            folder=".gemini",
            home="GEMINI_CLI_HOME",
            timeout=10_000,
            notes={"name": "clew"},
        ),
    )
}
