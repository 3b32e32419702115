"""How well faults are mended, measured: tasks in, one record a task out.

tasks         a faulty project, the right version of it, and its tests
suites        where tasks come from: one adapter a layout
records       what was asked of a run, and what came of each task
running       the tasks of a run: side by side, each in a process of its own, resumable
working       one task, in that process: laid out, worked on as by `clew fix`, judged
judging       whether a fix is right, beyond passing its tests
truth         the lines that the true fix touches, and where a ranking has them
seeding       a suite of small faults from a green project
agent_trials  what an agent understands of each role
counting      rates, intervals, paired comparisons
summaries     the records of a run in figures
plots         the same as pictures
"""
