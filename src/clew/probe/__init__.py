"""What runs in the interpreter of the project under repair: standard library only.

The folder is copied out as `clew_probe`, so modules here refer to each other by relative imports
and import nothing of clew.
"""
