"""How a plan is carried out: its hands, its way back after a crash, its documents."""

from clew.flows.plan.driver.loop import FLOW, PlanRun, drive

__all__ = ["FLOW", "PlanRun", "drive"]
