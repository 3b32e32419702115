"""A diagnosis written from evidence: what failed, where, why there, and the ways to mend it.

sources    what the project's text says: modules, definitions, the code around a line
accounts   what went wrong, told by kind of failure
crashes    the same for exceptions: what was called with what, which name is missing
pointing   the test it is told by, and the place where the fault lies
options    two or three ways to mend it, with their trade-offs
doubles    changes that are one change to a person
exhausted  what was looked at in vain, and why another look would find no more
alike      what a commit took out elsewhere as well, where a part of it is put back
taken      what a kept change of an earlier iteration took away, and a test misses
prevention what would have caught it earlier
demands    what the newest commits say is wanted, and the failing tests may not know
rivals     the other changes that pass, and where they part
guesses    kinds of change that are a guess; `hardly_asked` by one short test, `prose` against it
fitted     numbers that fit the failing tests, and that nothing else speaks of
unchanged  a change of code that was the same when the tests passed
certainty  how sure that is, and why
writing    all of it put together
"""

from clew.evidence.explain.exhausted import nothing_more
from clew.evidence.explain.rivals import choice, passes_too
from clew.evidence.explain.shapes import disagreeing
from clew.evidence.explain.sources import modules_of, related
from clew.evidence.explain.writing import explain

__all__ = [
    "choice",
    "disagreeing",
    "explain",
    "modules_of",
    "nothing_more",
    "passes_too",
    "related",
]
