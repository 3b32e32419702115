"""The built-in repairer's search: patches that turn failing tests green, found by trying them.

findings = search(site, command, failing, seconds=60, scratch=…)

The search itself runs in the project's interpreter, confined, with the code read-only; here stand
the request to it and the reading of its answers.
"""

from clew.agents.repair.searching import search

__all__ = ["search"]
