"""Confinement of programs that may be anybody's code: tests, candidates, agents.

    confined = confine(argv, policy)
    processes.run(confined.argv, cwd=confined.cwd, env=clean_environment() | confined.env, …)

A small launcher lowers the limits, then becomes bubblewrap, or submits to Landlock and becomes the
command. Which level works here is found by trying. The way out of a network of one's own is
`clew.sandbox.confinement.proxy`, which not every command loads.
"""

from clew.sandbox.confinement.environment import clean_environment, is_heeded_first
from clew.sandbox.confinement.hosts import Host
from clew.sandbox.confinement.installations import installation
from clew.sandbox.confinement.places import may_be_shown
from clew.sandbox.confinement.policy import Confined, Gate, Level, Limits, Overlay, Policy, Survey
from clew.sandbox.confinement.survey import complaint, confine, demand_linux, detect, examine

__all__ = [
    "Confined",
    "Gate",
    "Host",
    "Level",
    "Limits",
    "Overlay",
    "Policy",
    "Survey",
    "clean_environment",
    "complaint",
    "confine",
    "demand_linux",
    "detect",
    "examine",
    "installation",
    "is_heeded_first",
    "may_be_shown",
]
