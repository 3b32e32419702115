"""Plans: a session whose phases are children of it, each in a worktree of its own.

events       what happens in a plan
states       what that comes to: the phases, the queue of finished ones, what is asked
decisions    what comes next: phases begun, merged, held against gates, repaired, asked about
driver       how that is done
working      plans opened, gone on with, answered, ended
drafting     a plan that an agent proposes, written as a draft
kind         plans as any face sees them
telling      a phase in words, for agents
phases       the children: a phase carried out by an agent until its gates pass
"""
