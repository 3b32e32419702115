"""What comes next in a debug session: rules on its state alone.

deciding   the main line, a function a status
asking     every question, with its answers
explaining what the built-in investigator says of what it saw
looking_back what history and runs side by side say
symptom_test a reproduction as a test
redness    whether a test is red for the right reason
bounds     when to stop and ask: going in circles, and what it may take
"""

from clew.flows.investigation.decisions.deciding import decide

__all__ = ["decide"]
