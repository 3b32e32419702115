"""The debugging flow: from a red suite to a proven fix, or to a person.

states         what the events come to, and which may follow
decisions      what comes next
driver         carries it out, and journals it
working        sessions opened, gone on with, answered, taken back, ended
sessions       listed, found, read
kind           debugging sessions as any face sees them
applying       what a session came to, put into the person's tree
collect        the evidence for an agent
snapshot_run   the tests of a project, run on a snapshot
bisection      the first bad commit
localizing, diagnosing, previewing     a part of the loop on its own
pipeline       what a pipeline keeps of a session
opening        what is settled when a session is opened
"""
