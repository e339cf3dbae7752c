"""Finds the tasks that a text refers to. `matcher.Matcher` takes a text and a task book; it combines exact keys and
aliases, words (`index`), vectors and context (`evidence`) to one score per task, and returns candidates with a calibrated
confidence. The thresholds are in `weights`."""
