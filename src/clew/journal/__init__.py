"""Where sessions are kept and driven: the engine, streams of events, blobs, leases.

flow          a kind of session, as one record
engine        decide, carry out, journal; again
nesting       sessions in a session
streams       every event of every session of a project, in one SQLite file
store         where things lie on disk, and who may touch them
crashpoints   where a test may stop the process dead
"""
