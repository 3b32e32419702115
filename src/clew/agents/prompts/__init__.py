"""What external agents are told: everything from outside is wrapped as data.

brief     the record that a prompt is made from
wrapping  data that cannot leave its wrapper
sections  what is told, in words
wording   templates, Clew's own and a person's
roles     one prompt a role
budgeting a brief within its budget of tokens
"""

from clew.agents.prompts.brief import Brief, BriefSection, BriefText, FileExcerpt, ReportText
from clew.agents.prompts.budgeting import plain, within_budget
from clew.agents.prompts.roles import going_on, prompt, wording
from clew.agents.prompts.specialties import specialty
from clew.agents.prompts.wording import (
    GO_ON,
    NAMES,
    ROLES,
    TEMPLATES,
    check,
    own_place,
    source,
    version,
)
from clew.agents.prompts.wrapping import clip, nonce_of, wrap_data

__all__ = [
    "GO_ON",
    "NAMES",
    "ROLES",
    "TEMPLATES",
    "Brief",
    "BriefSection",
    "BriefText",
    "FileExcerpt",
    "ReportText",
    "check",
    "clip",
    "going_on",
    "nonce_of",
    "own_place",
    "plain",
    "prompt",
    "source",
    "specialty",
    "version",
    "within_budget",
    "wording",
    "wrap_data",
]
