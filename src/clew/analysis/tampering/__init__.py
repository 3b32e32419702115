"""Ways to be green without being right, and how each is told from a fix.

steering    which files decide what is tested, and how
judges      which files judge, by what a run read and what its command names
hosting     tests that stand in code of the product
counting    tests, assertions, skips and expected failures of a file
canaries    tests that must be red: where one is green, the runner or the values are not honest
inputs      other numbers and texts for a test
variations  the failing tests with other inputs: does the fix hold for theirs alone?
borders     fixes that move a border alone, which are made for no test
replacing   one constant in the place of another
literals    values of the failing tests that a fix has built in
answers     answers that a fix gives without computing them
following   whether an answer follows from what a function is given
comparing   values that are compared, told true or shown by what a fix made
crossing    calls from tests into changed code, and their answers where nobody tests
sequences   these calls in other sequences: does an answer depend on what was before?
special_cases  fixes that are right for the values of the failing tests alone
giving      what a failing test gives to the code, by its helpers as well
neighbours  calls near those that tests make: does a fix show in them?
restating   tests of any language with other values: do they fail, and how?
peeking     code that reads the tests
standing    tests that need no runner
standing_before  fixes that only put back what stood there
taking      red tests that are gone or muted, whoever wants it so
looking     code that looks at who runs it
hiding      what a diff does not show
loosening   checks that a fix takes away, and errors that it keeps quiet
"""

from clew.analysis.tampering.answers import given_away
from clew.analysis.tampering.asking import of_doubles, questions
from clew.analysis.tampering.borders import moves_borders
from clew.analysis.tampering.canaries import ENDS, LIES, Canary, of_functions, whole_file
from clew.analysis.tampering.comparing import doubles, judged_by_the_fix
from clew.analysis.tampering.counting import Counts, checks, counts, written
from clew.analysis.tampering.crossing import (
    Difference,
    asked,
    by_chance,
    by_order,
    canonical,
    changing,
    differences,
    ended,
    excuses,
    kind_of,
    newly_changing,
    refusing,
    repeatable,
    shown_call,
    shown_end,
    uncounted,
)
from clew.analysis.tampering.giving import given_by, lends
from clew.analysis.tampering.hiding import hidden, leads_out
from clew.analysis.tampering.judges import (
    by_command,
    by_opening,
    by_product,
    by_reading,
    hosts,
    is_code,
    is_data,
    names_of,
    started_by,
)
from clew.analysis.tampering.literals import ASKS, built_in, functions, steps, texts_of, valueless
from clew.analysis.tampering.looking import looks
from clew.analysis.tampering.loosening import loosened
from clew.analysis.tampering.neighbours import (
    CallsSeen,
    NearCalls,
    changed_elsewhere,
    constants_moved,
    made_for_calls,
    near_calls,
    only_there,
)
from clew.analysis.tampering.peeking import peeks
from clew.analysis.tampering.places import Place, file_of, place_of, within
from clew.analysis.tampering.replacing import replaces
from clew.analysis.tampering.restating import (
    CopyEnd,
    OtherValue,
    TriedValue,
    alike,
    is_given,
    new_in,
    other_values,
    told_by,
    turned,
)
from clew.analysis.tampering.rust import is_inline, moved_inline
from clew.analysis.tampering.sequences import dependences, keeps_state, sequences, shared
from clew.analysis.tampering.special_cases import special_cases
from clew.analysis.tampering.standing import stand_alone
from clew.analysis.tampering.standing_before import puts_back
from clew.analysis.tampering.steering import (
    Steering,
    belongs,
    blames_tests,
    plugins_named,
    shadows,
    steered,
    steering,
    steers_in_part,
)
from clew.analysis.tampering.taking import Taken, Texts, taken_away
from clew.analysis.tampering.variations import barely_asked, made_for_the_tests, varied

__all__ = [
    "ASKS",
    "ENDS",
    "LIES",
    "CallsSeen",
    "Canary",
    "CopyEnd",
    "Counts",
    "Difference",
    "NearCalls",
    "OtherValue",
    "Place",
    "Steering",
    "Taken",
    "Texts",
    "TriedValue",
    "alike",
    "asked",
    "barely_asked",
    "belongs",
    "blames_tests",
    "built_in",
    "by_chance",
    "by_command",
    "by_opening",
    "by_order",
    "by_product",
    "by_reading",
    "canonical",
    "changed_elsewhere",
    "changing",
    "checks",
    "constants_moved",
    "counts",
    "dependences",
    "differences",
    "doubles",
    "ended",
    "excuses",
    "file_of",
    "functions",
    "given_away",
    "given_by",
    "hidden",
    "hosts",
    "is_code",
    "is_data",
    "is_given",
    "is_inline",
    "judged_by_the_fix",
    "keeps_state",
    "kind_of",
    "leads_out",
    "lends",
    "looks",
    "loosened",
    "made_for_calls",
    "made_for_the_tests",
    "moved_inline",
    "moves_borders",
    "names_of",
    "near_calls",
    "new_in",
    "newly_changing",
    "of_doubles",
    "of_functions",
    "only_there",
    "other_values",
    "peeks",
    "place_of",
    "plugins_named",
    "puts_back",
    "questions",
    "refusing",
    "repeatable",
    "replaces",
    "sequences",
    "shadows",
    "shared",
    "shown_call",
    "shown_end",
    "special_cases",
    "stand_alone",
    "started_by",
    "steered",
    "steering",
    "steers_in_part",
    "steps",
    "taken_away",
    "texts_of",
    "told_by",
    "turned",
    "uncounted",
    "valueless",
    "varied",
    "whole_file",
    "within",
    "written",
]
