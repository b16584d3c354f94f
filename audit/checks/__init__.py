"""The checks: what is asked of every round, wager, shoe, option and register entry, and the words of the answers."""
