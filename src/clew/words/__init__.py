"""What all else is said in: errors, facts, events, settings and rules on text.

errors         what a person meets, each with a page
facts          what was measured
records        what every session is made of
codec          events to JSON and back
events         what happens in a session of debugging
declared       every setting, once: its type, its bounds, its help, its option
settings       read from files, variables and flags, and kept as one value
models         which model an agent is asked to use
retry_policy   what follows when an agent fails
edits          applied to text, shown as a diff, known again by a hash
printable      text from outside, made harmless to show
redaction      secrets, taken out
plans          what agents carry out, phase by phase
phases         a session of a plan: its phases, and which status follows which
papers         what Clew itself writes among a project's files
"""
