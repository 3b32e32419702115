"""What comes next in a plan: rules on its state alone."""

from clew.flows.plan.decisions.deciding import decide

__all__ = ["decide"]
