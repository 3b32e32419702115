"""The hooks that an agent calls: `python -I -S …/clew/hooks/__main__.py claude`, JSON on stdin.

They may cost little more than a start of Python, so nothing is imported that is not needed, and
nothing at all from outside of the standard library and `clew.handoff`.
"""
