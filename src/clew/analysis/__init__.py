"""What failures, suspects and sources say: pure rules on facts.

failures     what a run of the tests says about the fault
suspects     where the fault may be, ranked
context      what an agent is shown of a project, within a budget
testfiles    which files are tests, and which steer how tests are run
flakes       whether a red test is one
progress     what a fix achieved
reruns       what is run again after a fix
tampering    ways to be green without being right
mutations    small faults for a program
bisecting    which commit to try next
diffs        a unified diff, taken apart
plans        what is wrong with a plan, and the order of its phases
spending     what agents took, added up
unparsed     whether a file could not be parsed
"""
