"""Whether a fix is right, beyond passing the tests: compared with the right version.

same program          the changed files have the same syntax trees
held-out tests        tests that were kept back fail, or pass
differential          the functions that differ are called, in both versions, with inputs recorded
                      from the tests and with new ones made in their image
unknown               none of that could tell

The first that can tell decides, and is named. Passing is evidence, not proof: "right" by held-out
tests or by comparison means that no difference was found.
"""

from clew.evaluation.judging.comparing import BehaviourComparison, compare
from clew.evaluation.judging.verdicts import Judgement, Mended, flaw, judge

__all__ = ["BehaviourComparison", "Judgement", "Mended", "compare", "flaw", "judge"]
