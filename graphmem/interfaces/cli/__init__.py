"""The command line: commands are made from the verbs, results are printed for people or as JSON."""
