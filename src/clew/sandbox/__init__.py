"""Other programs: started, confined, limited, and gone when their time is over.

processes        started in a session of their own, and gone when the call returns
confinement      bubblewrap or Landlock around anybody's code
limits           what tests and agents may take of this machine
resource_usage   what a running program takes
files            written whole, and locked
temporary        folders that are lent for a while, and removed whatever became of them
"""
