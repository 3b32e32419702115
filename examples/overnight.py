"""Mend projects one after the other, and apply what is strongly proven.

    python examples/overnight.py PROJECT...

A program over `clew.api`: it looks on while a session is worked on, decides by the proof, and
leaves to a person what needs one. Exit code 0 if every project ended green.
"""

import sys
from pathlib import Path

from clew import api
from clew.words.errors import ClewError
from clew.words.events import Diagnosed


class Causes(api.Unwatched):
    """Whoever looks on hears of every event; this one tells the causes."""

    def saw(self, recorded, state):
        if isinstance(recorded.event, Diagnosed):
            print(f"  cause: {recorded.event.diagnosis.title}")


def mend(path: Path) -> bool:
    """Work on one project, and say what came of it."""
    sessions = api.sessions_at(path)
    settings = api.settings_for(sessions, {"max_seconds": 600})
    stands = api.fix(sessions, settings, Causes())
    if stands.question:
        print(f"  waits for you: clew show -C {path} {stands.session}")
        return False
    proof = api.proof(sessions, stands.session)
    if proof is not None and proof.accepted and not proof.weak:
        applied = api.apply(sessions, stands.session).applied
        print(f"  applied: {', '.join(applied.files)}")
    elif proof is not None:
        print(f"  weakly proven, look at it: clew diff -C {path} {stands.session}")
    return stands.exit_code == 0


def main(paths: list[str]) -> int:
    green = True
    for path in paths:
        print(path)
        try:
            green &= mend(Path(path))
        except ClewError as error:
            print(f"  {error.whole}")
            green = False
    return 0 if green else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
