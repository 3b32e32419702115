"""Kinds of session: a folder each, and none imports another.

A new one is a folder with a `clew.journal.flow.Flow`: its kind, the codec of its events (the first
is an `Opened`, the last an `Ended`), its empty state, `fold`, `decide`, `perform` and `reconcile`;
and with a `Run`, the session at work. `tests/toyflow.py` has all that the engine asks for. What the
command line and `clew.api` ask of a kind is `clew.sessions.kinds.SessionKind`, answered in its
`kind.py` and listed in `clew.sessions.table`. `docs/decisions/engine.md` says why. What two kinds
need is in the folders above.
"""
