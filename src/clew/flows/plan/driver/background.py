"""Work in a thread of this process, beside which a session goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable

from clew.words.records import Event, Outcome

__all__ = ["Background"]


class Background:
    """A side effect that a thread carries out; a `clew.journal.flow.Pending`."""

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self.waiting = False
        self._work = work
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome = self._work()
        except BaseException as error:  # noqa: BLE001 - raised where it is polled
            self._error = error

    def poll(self) -> Event | None:
        """Return the outcome once it is there; raise what the work raised."""
        if self._thread.is_alive():
            return None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._outcome

    def stop(self) -> None:
        """Leave it: what it does is done again when the session goes on."""
