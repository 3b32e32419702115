"""A phase of a plan: a session in which an agent does the work until its gates pass.

events       what happens in a phase
states       what that comes to
decisions    what comes next: the work, the gates, a repair or another try, the end
driver       how that is done
implementing the agent's part
kind         phases as any face sees them
"""
