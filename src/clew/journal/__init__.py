"""Where sessions are kept: streams of events, blobs, leases.

streams       every event of every session of a project, in one SQLite file
store         where things lie on disk, and who may touch them
crashpoints   where a test may stop the process dead
"""
