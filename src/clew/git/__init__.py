"""The person's code: their project, snapshots, worktrees, and the way back into their tree.

project        where it is, and whether git knows it
moving         one that was moved keeps its sessions
own_folder     where Clew's documents for people lie in it
worktrees      snapshots, worktrees for fixes, and the way back
commit_files   the files of a commit, read where they are needed
"""
