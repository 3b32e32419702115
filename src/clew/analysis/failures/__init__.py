"""What a run of the tests says about the fault, told from facts before any text is guessed at.

noise         text without what changes from run to run
assertions    what an assertion wanted, what it got, and where the two part
claims        what tests and documented examples ask of one literal call
contradictions  tests that no code can satisfy
chains        exceptions that came before the one that ended a test
shapes        when two definitions of the same data disagree
linting       what linters and type checkers print
categories    the first axis: which of eight kinds of failure it is
causes        the second axis: why it came about
fingerprints  when two failures are the same failure; the topic that names a round
"""

from clew.analysis.failures.assertions import Expectation, expectation
from clew.analysis.failures.categories import categorise, category_of, missing_module
from clew.analysis.failures.causes import AuthorNotes, cause
from clew.analysis.failures.chains import reasons
from clew.analysis.failures.contradictions import Contradiction, contradictions
from clew.analysis.failures.fingerprints import (
    error_of,
    errors,
    fingerprint,
    fingerprint_of,
    stand_of,
    topic_slug,
)
from clew.analysis.failures.noise import normalise
from clew.analysis.failures.shapes import unwrapped
from clew.analysis.unparsed import unparsed
from clew.words.printable import printable

__all__ = [
    "AuthorNotes",
    "Contradiction",
    "Expectation",
    "categorise",
    "category_of",
    "cause",
    "contradictions",
    "error_of",
    "errors",
    "expectation",
    "fingerprint",
    "fingerprint_of",
    "missing_module",
    "normalise",
    "printable",
    "reasons",
    "stand_of",
    "topic_slug",
    "unparsed",
    "unwrapped",
]
