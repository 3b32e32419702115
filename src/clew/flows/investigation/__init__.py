"""Debug sessions: a symptom, a person, fresh investigators, one document that outlasts them all.

events       what happens in one
states       what that comes to: what is known, what is asked, how it stands
decisions    what comes next: look, ask, check the reasoning, have it fixed, put it away
driver       how that is done
working      sessions opened, gone on with, answered, closed
kind         sessions as any face sees them
viewing      a session as its document has it
"""
