"""`python -m clew.evaluation JOB.json`: the process that one task is worked on in."""

import sys

from clew.evaluation.working import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
