"""What external agents are told: everything from outside is wrapped as data.

brief     the record that a prompt is made from
wrapping  data that cannot leave its wrapper
sections  what is told, in words
wording   templates, Clew's own and a person's
roles     one prompt a role
budgeting a brief within its budget of tokens
"""

from clew.prompts.brief import Brief, FileExcerpt, ReportText
from clew.prompts.budgeting import plain, within_budget
from clew.prompts.roles import going_on, prompt, wording
from clew.prompts.specialties import specialty
from clew.prompts.wording import GO_ON, NAMES, ROLES, TEMPLATES, check, own_place, source, version
from clew.prompts.wrapping import clip, nonce_of, wrap_data

__all__ = [
    "GO_ON",
    "NAMES",
    "ROLES",
    "TEMPLATES",
    "Brief",
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
