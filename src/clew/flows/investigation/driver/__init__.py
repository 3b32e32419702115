"""How a debug session is carried out: its hands, its way back after a crash, its document.

loop           the flow, and what is done around the engine
performing     one hand an intent
gating         the failing test before it: written, and seen red
fixing         the debugging session that makes the fix
calling        one call of an agent, whatever its role
investigating  an investigator asked, with paths instead of contents
offline        the built-in investigator
looking_back   the symptom on older commits, and beside input that works
reviewing      a specialist's look at a root cause
telling        a root cause in words
reproducing    the command that shows the symptom, run in the sandbox
filing         what it came to: a plan, or the archive and the knowledge base
documenting    the document, written before each action
"""

from clew.flows.investigation.driver.loop import FLOW, InvestigationRun, drive

__all__ = ["FLOW", "InvestigationRun", "drive"]
