"""A diagnosis written from evidence: what failed, where, why there, and the ways to mend it.

sources    what the project's text says: modules, definitions, the code around a line
patches    edits applied to text, and shown as a diff
accounts   what went wrong, told by kind of failure
crashes    the same for exceptions: what was called with what, which name is missing
options    two or three ways to mend it, with their trade-offs
writing    all of it put together
"""

from clew.explain.patches import EditMisfit, apply, diff
from clew.explain.writing import explain

__all__ = ["EditMisfit", "apply", "diff", "explain"]
