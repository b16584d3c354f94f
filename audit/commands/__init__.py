"""One function for each command of the command line: arguments in, exit code out."""
