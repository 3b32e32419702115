"""What a plan's phases come to: what is wrong with them, their order, what may run now."""

from clew.analysis.plans.checking import check
from clew.analysis.plans.order import critical_path, ready, waves
from clew.analysis.plans.ownership import normalised

__all__ = ["check", "critical_path", "normalised", "ready", "waves"]
