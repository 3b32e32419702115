"""What an agent is shown of a project: the files near the failure, within a budget of tokens.

counting    tokens, by a counter with a name
languages   the table of grammars
outlines    what one file imports and defines
skeletons   a file without its bodies
resolving   which files an import means
distances   how far each file is from the failure
called      what a failing test calls
focus       what the failure names
sections    a share of the budget for each part of a prompt
fitting     files into a room
records     the account of it
accounts    the account in words
"""

from clew.analysis.context.accounts import account_lines
from clew.analysis.context.called import called
from clew.analysis.context.counting import COUNTERS, ESTIMATE, TokenCounter, counter
from clew.analysis.context.distances import distances, words_of
from clew.analysis.context.fitting import Fitted, fit
from clew.analysis.context.focus import Focus, excerpt, focus_of
from clew.analysis.context.languages import LANGUAGES, Language, language_of
from clew.analysis.context.outlines import (
    LARGEST,
    Import,
    Outline,
    definitions,
    outline,
    parser_of,
    version_of,
)
from clew.analysis.context.records import (
    ContextFile,
    Cut,
    Form,
    OversizedFile,
    PromptAccount,
    SectionTokens,
    Shown,
)
from clew.analysis.context.resolving import Index, targets
from clew.analysis.context.sections import (
    ANALYSIS,
    CODE,
    SHARES,
    SectionPart,
    fit_parts,
    sampled,
    truncated,
)

__all__ = [
    "ANALYSIS",
    "CODE",
    "COUNTERS",
    "ESTIMATE",
    "LANGUAGES",
    "LARGEST",
    "SHARES",
    "ContextFile",
    "Cut",
    "Fitted",
    "Focus",
    "Form",
    "Import",
    "Index",
    "Language",
    "Outline",
    "OversizedFile",
    "PromptAccount",
    "SectionPart",
    "SectionTokens",
    "Shown",
    "TokenCounter",
    "account_lines",
    "called",
    "counter",
    "definitions",
    "distances",
    "excerpt",
    "fit",
    "fit_parts",
    "focus_of",
    "language_of",
    "outline",
    "parser_of",
    "sampled",
    "targets",
    "truncated",
    "version_of",
    "words_of",
]
