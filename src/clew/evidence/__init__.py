"""What is known of a failure before anybody is asked: computed, and told in one way to all.

records     the evidence, as a frozen record
rendering   the same for people, in Markdown
explain     what the built-in repairer says of a cause, and how sure that is
"""

from clew.evidence.records import (
    DIFF,
    FIRST_BAD,
    UNSOUGHT,
    Classified,
    Evidence,
    SinceGreen,
    assemble,
    facts,
    first_bad,
    told_before,
)
from clew.evidence.rendering import render

__all__ = [
    "DIFF",
    "FIRST_BAD",
    "UNSOUGHT",
    "Classified",
    "Evidence",
    "SinceGreen",
    "assemble",
    "facts",
    "first_bad",
    "render",
    "told_before",
]
