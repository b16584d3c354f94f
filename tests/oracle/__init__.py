"""The second judge: the regulations and the judging rules written again, slowly and plainly, by another hand.

Nothing here imports the package under test. `drawing` judges a hand, `settlement` a wager, `auditor` a whole log row
by row, `dealer` makes lawful logs and spoils them one change at a time.
"""
