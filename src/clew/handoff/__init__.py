"""Hand-off: one agent session ends, and the next one starts with what comes next.

An agent calls this through hooks (`clew.hooks`), at every turn it takes. So this part is written
for a cold start: it imports the standard library alone, and little of it: no `json`, no `re`, no
`subprocess` before there is something to hand off. Importing the package itself does nothing.

    markers      what the agent's last message asks for        pure
    table        which workflow follows which                  pure
    deciding     whether the chain goes on                     pure
    quick        JSON without the import of `json`
    config       how a project and a person want it
    transcripts  whose turn it was; what a session spent
    records      what is kept: sessions, chains, claims, receipts, stops
    questions    what waits for a person
    orders       one hand-off, as it is asked for
    tmux, detached   where a session can be started
    courier      opens the next session, waits for its receipt, ends the last one
"""
