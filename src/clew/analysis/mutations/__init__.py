"""Small faults for a program, one at a time.

faults    the record of one, and the text that it is made in
python    faults and slips in Python, by its syntax tree
grammars  slips in the languages that there are grammars for: a table
fixed     the slips that try a fix, on the lines that it changed
additions those in what it says and nothing said before
"""

from clew.analysis.mutations.faults import Mutation
from clew.analysis.mutations.fixed import added, compiled, of_fix, tried_in, unbuilt
from clew.analysis.mutations.grammars import GRAMMARS, slips
from clew.analysis.mutations.python import OPERATORS, SLIPS, mutations

__all__ = [
    "GRAMMARS",
    "OPERATORS",
    "SLIPS",
    "Mutation",
    "added",
    "compiled",
    "mutations",
    "of_fix",
    "slips",
    "tried_in",
    "unbuilt",
]
