"""What runs in the interpreter of the project under repair: standard library only.

The folder is copied out as `clew_probe`, so modules here refer to each other by relative imports
and import nothing of clew.

plugin, unittest_main, session   pytest and unittest, read from inside
stacks, values     exceptions, stacks and values as plain data
wire               records to Clew, where `clew.runners.records` reads them
tracer, watch      which lines run; a deadline for each test
calls              a program followed: what its functions were given, and what they gave
disguise, unannounced, levers, muting   runs that code under test cannot tell apart or steer
formulas           what Clew computes too, and imports from here: standard library alone
search             the built-in repairer's: candidates tried in forked copies
"""
