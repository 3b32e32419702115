"""The command line.

Exit codes: 0 green or nothing to do · 1 a person is needed · 2 bad usage or configuration ·
3 the tests could not run · 4 another process holds the session · 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import os
import pwd
import shutil
import signal
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from clew import api
from clew.cli.agents import agents
from clew.cli.answering import COMMANDS as ANSWERS
from clew.cli.bench import bench
from clew.cli.bisecting import bisect
from clew.cli.chain import chain
from clew.cli.ci import ci
from clew.cli.commands import clew
from clew.cli.context import context
from clew.cli.debug import debug, knowledge
from clew.cli.diagnosing import diagnose
from clew.cli.documents import COMMANDS as DOCUMENTS
from clew.cli.evidence import evidence
from clew.cli.flakes import flakes
from clew.cli.gates import gates
from clew.cli.hooks import hooks
from clew.cli.minimizing import minimize
from clew.cli.plan import plan
from clew.cli.prompts import prompts
from clew.cli.recover import recover
from clew.cli.running import fork, revise, run
from clew.cli.streams import finish, indented, make_ready, say, shortened
from clew.words.errors import ClewError, UsageError
from clew.words.printable import one_line, printable

__all__ = ["clew", "main"]

OTHERS = (
    *(bench, bisect, chain, ci, context, diagnose, evidence, flakes, gates, hooks, plan, prompts),
    *(debug, fork, knowledge, minimize, recover, revise, run),
)
for command in (*ANSWERS, *DOCUMENTS, agents, *OTHERS):
    clew.add_command(command)

INTERRUPTED = 130
WIDEST = 80  # columns of a help text; in fewer it is narrower
INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SHORTAGES = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
LOCKLESS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
REFUSALS = (
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EISDIR,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
)


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    for number in INTERRUPTIONS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
            signal.signal(number, _interrupt)
    _stand_nowhere()
    _live_somewhere()
    os.umask(os.umask(0) & ~stat.S_IRWXU)  # what Clew has written it must be able to read
    words = list(sys.argv[1:] if argv is None else argv)
    own, rest = words, []
    if "--" in words:
        own, rest = words[: words.index("--")], words[words.index("--") + 1 :]
    make_ready()
    try:
        code = clew.main(
            own,
            prog_name="clew",
            standalone_mode=False,
            obj=tuple(rest),
            terminal_width=min(shutil.get_terminal_size().columns, WIDEST),
        )
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 -- the last resort: a person gets words, the trace a file
        code = _explain(error)
    finish()
    gc.freeze()  # the process ends: nobody has to look for cycles in all that was loaded
    sys.exit(code or 0)


def _stand_nowhere() -> None:
    """Take off the path what means another folder wherever one stands: foreign code may lie there.

    An empty entry is one, as a variable leaves it that is not set; and so is an empty path.
    """
    folders = [folder for folder in os.get_exec_path() if folder.startswith(os.sep)]
    os.environ["PATH"] = os.pathsep.join(folders) or os.defpath


def _live_somewhere() -> None:
    """Have a home that is the same wherever one stands: an unset or relative one is looked up.

    Where the machine knows nobody of that number either, it is one that holds nothing.
    """
    if not os.environ.get("HOME", "").startswith(os.sep):
        try:
            os.environ["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            os.environ["HOME"] = os.devnull


def _explain(error: BaseException) -> int:  # noqa: PLR0911 -- one answer a kind of error
    """Tell a person what went wrong; return the exit code."""
    match error:
        case KeyboardInterrupt() | click.Abort():
            for number in INTERRUPTIONS:
                signal.signal(number, signal.SIG_IGN)  # an ending interpreter forgets `_unheard`
            return INTERRUPTED
        case click.exceptions.Exit():
            return error.exit_code
        case click.ClickException():
            words = io.StringIO()
            vars(error)["message"] = one_line(error.message)  # it may quote what was typed
            error.show(words)
            _say(words.getvalue().rstrip())
            return error.exit_code
        case ClewError():
            _tell(error)
            return error.exit_code
        case FileNotFoundError() if (removed := _removed(error)) is not None:
            message = f"the state folder {removed} was removed while Clew was working"
            hint = "Its sessions are lost; your own tree is unchanged. `clew fix` starts a new one."
            return _explain(ClewError(message, hint=hint))
        case OSError() if error.errno in LOCKLESS:
            where = error.filename or api.state_folder()
            message = f"{where} is on a file system without locks: {error.strerror}"
            hint = "Set CLEW_STATE_HOME, or TMPDIR, to a folder on a disk of this machine."
            return _explain(UsageError(message, hint=hint))
        case MemoryError() | OSError() if getattr(error, "errno", errno.ENOMEM) in SHORTAGES:
            message = f"the machine, or a limit of this shell, gives no more: {_said(error)}"
            hint = (
                "`ulimit -a` shows the limits. With more of it do it again; a session that was at"
                " work goes on with `clew resume`."
            )
            return _explain(ClewError(message, hint=hint))
        case OSError() if error.errno in REFUSALS or isinstance(error, shutil.Error):
            hint = (
                "Make room, or make it writable, and do it again; a session that was at work goes"
                " on with `clew resume`. Nothing was lost."
            )
            what = "the disk refuses" if error.filename else "the disk, or the output, refuses"
            return _explain(ClewError(f"{what}: {str(error)[:300]}", hint=hint))
        case _:
            return _apologise(error)


def _removed(error: FileNotFoundError) -> Path | None:
    """Return the project's state folder that lacks a file since it has no journal any more."""
    above = api.state_folder() / "projects"
    missing = Path(os.fsdecode(error.filename or ""))
    if above not in missing.parents:
        return None
    folder = above / missing.relative_to(above).parts[0]
    return None if api.Store(folder).journal.exists() else folder


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    """Stop, once: a second signal may not keep children from being ended."""
    for each in INTERRUPTIONS:
        signal.signal(each, _unheard)
    raise KeyboardInterrupt(signal.Signals(number).name)


def _unheard(_number: int, _: FrameType | None) -> None:
    """Go on; unlike SIG_IGN, also with a signal that was on its way already."""


def _tell(error: ClewError) -> None:
    _say(indented(f"clew: {error.message}"))
    if error.hint:
        _say(indented(f"      {error.hint}"))


def _say(words: str) -> None:
    with contextlib.suppress(OSError):  # nobody can be told that nothing can be said
        click.echo(printable(shortened(words)), err=True)


def _apologise(error: BaseException) -> int:
    import traceback

    trace = "".join(traceback.format_exception(error))
    if os.environ.get("CLEW_DEBUG"):
        click.echo(trace, err=True)
    click.echo(f"clew: this is a bug in Clew: {_said(error)}", err=True)
    try:
        path = api.keep_fault(trace)
    except (ClewError, OSError):
        say(trace, err=True)
    else:
        say(f"      The details are in {path}; no session was lost.", err=True)
    return 1


def _said(error: BaseException) -> str:
    return one_line(f"{type(error).__name__}: {error}")[:1_000]
