"""Other programs: started in a session of their own, and gone when the call returns.

running    one program to its end, or to the first of its bounds
trees      a program and everything it started: found, counted, ended
streams    its pipes, moved without ever blocking
beside     two pieces of work at the same time, each of which runs programs
"""

from clew.sandbox.processes.beside import both, held
from clew.sandbox.processes.running import Completed, run
from clew.sandbox.processes.trees import Identity, alive, end, identify, stopped

__all__ = ["Completed", "Identity", "alive", "both", "end", "held", "identify", "run", "stopped"]
