"""Entry point of every hook; with `deliver` the courier that a hook sends off.

Whatever happens, the agent goes on: any fault is one line in the log, and exit 0.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself takes `enum` with it
import os
import sys

SECONDS = 5.0  # a disk or a tmux that hangs must not keep the agent waiting


def main(words: list[str]) -> None:
    # Started with -I -S and by its path: nothing but the standard library is searched so far.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    if words[:1] == ["deliver"]:
        from clew.handoff.courier import deliver

        deliver(words[1], words[2])
        return
    from clew.hooks.receiving import receive

    _signal.signal(_signal.SIGALRM, give_up)
    _signal.setitimer(_signal.ITIMER_REAL, SECONDS)
    said = receive(words[0] if words else "", sys.stdin.buffer.read())
    if said:
        sys.stdout.write(said)
        sys.stdout.flush()


def give_up(_number: int, _frame: object) -> None:
    log(f"gave up after {SECONDS:g} seconds")
    os._exit(0)


def log(words: str) -> None:
    try:
        from clew.handoff.records import complain

        complain(words)
    except Exception:  # noqa: BLE001, S110 -- a log that cannot be written is no reason to disturb
        pass


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BaseException as error:  # noqa: BLE001 -- whatever it is, the agent goes on
        log(f"{' '.join(sys.argv[1:])}: {type(error).__name__}: {error}")
    # No clean-up: the interpreter's end takes longer than the hook.
    os._exit(0)
