"""How Clew starts: `clew`, and `python -m clew`."""

from __future__ import annotations

import gc
import signal

__all__ = ["main"]

RARELY = 50_000  # objects between two collections: what is imported is no garbage


def main() -> None:
    """Run the command line; Ctrl-C before it listens ends Clew, and nobody reads where."""
    gc.set_threshold(RARELY)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from clew.cli import main  # noqa: PLC0415 -- what takes long comes after

    main()


if __name__ == "__main__":
    main()
