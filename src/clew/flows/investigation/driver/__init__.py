"""How a debug session is carried out: its hands, its way back after a crash, its document.

loop           the flow, and what is done around the engine
performing     one hand an intent
gating         the failing test before it: written, and seen red
fixing         the debugging session that makes the fix
investigating  an investigator asked, with paths instead of contents
offline        the built-in investigator
reproducing    the command that shows the symptom, run in the sandbox
filing         what it came to: a plan, or the archive and the knowledge base
documenting    the document, written before each action
"""

from clew.flows.investigation.driver.loop import FLOW, InvestigationRun, drive

__all__ = ["FLOW", "InvestigationRun", "drive"]
