"""How long an agent waits for the stop hook of a hand-off, at each of its turns."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import NotInstalled, clean, turns
from clew.hooks.installing import ENTRY

__all__ = ["run"]

HOW = (
    "Whole processes, from start to end, with a payload as Claude Code sends it on standard input."
    " Transcripts of 1 kB, 1 MB and 100 MB; the last line is the answer, the one before it what a"
    " person typed. The rival is a hook of bash and jq, written for this as well as we could: it"
    " reads the transcript from its end, and knows less (no bounds, questions or kill switch)."
    " `python3 -S -c pass` is the interpreter alone."
)
SIZES = {"1 kB": 1_000, "1 MB": 1_000_000, "100 MB": 100_000_000}
MARKED = "Planned.\n\nGSD_SPAWN: /gsd:plan-phase 6"
RIVAL = Path(__file__).parent / "contenders" / "hook.sh"
TWICE = Bound(at_least=False, number=2)
AHEAD = Bound(at_least=False, number=1)
BARE = "`python3 -S -c pass`"


def run(folder: Path, size: float) -> Part:
    """Measure each kind of turn at each length of the transcript."""
    if shutil.which("jq") is None:
        raise NotInstalled("jq is not installed: scripts/setup bench, or apt-get install jq")
    project = folder / "project"
    (project / ".planning").mkdir(parents=True)
    config = {"mode": "yolo", "spawn": {"dry_run": True, "max_depth": 10**6}}
    (project / ".planning" / "config.json").write_text(json.dumps(config))
    env = clean(
        HOME=str(folder), CLEW_STATE_HOME=str(folder / "state"), HOOK_STATE=str(folder / "rival")
    )
    rounds = max(1, round(25 * size))
    figures: list[Figure] = []
    for name, length in SIZES.items():
        transcript = written(folder / "transcript.jsonl", length)
        for kind, said in (
            ("a turn like most", {"last_assistant_message": "Done."}),
            ("a turn with a marker", {"last_assistant_message": MARKED}),
            ("a turn read from the transcript", {}),
        ):
            hook = [sys.executable, "-I", "-S", str(ENTRY), "claude"]
            took = turns(
                rounds,
                hook=caller(hook, project, transcript, said, env),
                rival=caller(["bash", str(RIVAL)], project, transcript, said, env),
                bare=caller([sys.executable, "-S", "-c", "pass"], project, transcript, said, env),
            )
            for peer, against, bound in (("bash and jq", "rival", AHEAD), (BARE, "bare", TWICE)):
                figures.append(
                    Figure(
                        what=f"{kind}, {name}",
                        unit="ms",
                        clew=Spread.of(took["hook"]).times(1e3),
                        peer=peer,
                        theirs=Spread.of(took[against]).times(1e3),
                        value=paired(took["hook"], took[against]),
                        bound=bound,
                    )
                )
    return Part(title="Hooks of a hand-off", how=HOW, figures=tuple(figures))


def written(path: Path, length: int) -> Path:
    """Write a transcript of about that many bytes, ending with a turn that asks to go on."""
    line = json.dumps(record("assistant", [{"type": "text", "text": "x" * 700}])) + "\n"
    with path.open("w") as file:
        for _ in range(max(0, length - 600) // len(line)):
            file.write(line)
        file.write(json.dumps(record("user", "go on")) + "\n")
        file.write(json.dumps(record("assistant", [{"type": "text", "text": MARKED}])) + "\n")
    return path


def record(kind: str, content: object) -> dict[str, object]:
    """Return a line of a transcript as the agent writes it."""
    return {"type": kind, "isSidechain": False, "uuid": kind, "message": {"content": content}}


def caller(
    argv: list[str],
    project: Path,
    transcript: Path,
    said: Mapping[str, str],
    env: Mapping[str, str],
) -> Callable[[], float]:
    """Return what calls a hook once, each time in a turn of its own, and says how long it took."""
    numbers = itertools.count()

    def once() -> float:
        payload = {
            "session_id": "5d2c0f5e",
            "transcript_path": str(transcript),
            "cwd": str(project),
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            **(
                {"prompt_id": f"{len(said)}{transcript.stat().st_size}-{next(numbers)}"}
                if said
                else {}
            ),
            **said,
        }
        began = time.perf_counter()
        done = subprocess.run(
            argv, input=json.dumps(payload).encode(), env=dict(env), capture_output=True, check=True
        )
        took = time.perf_counter() - began
        if done.stderr:
            raise RuntimeError(f"{argv[0]}: {done.stderr.decode()[-500:]}")
        return took

    return once
