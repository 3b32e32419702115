"""What external agents are told: everything from outside is wrapped as data.

brief     the record that a prompt is made from
wrapping  data that cannot leave its wrapper
roles     one prompt a role
budgeting a brief within its budget of tokens
"""

from clew.prompts.brief import Brief, FileExcerpt, ReportText
from clew.prompts.budgeting import plain, within_budget
from clew.prompts.roles import diagnose_prompt, fix_prompt
from clew.prompts.wrapping import clip, nonce_of, wrap_data

__all__ = [
    "Brief",
    "FileExcerpt",
    "ReportText",
    "clip",
    "diagnose_prompt",
    "fix_prompt",
    "nonce_of",
    "plain",
    "within_budget",
    "wrap_data",
]
