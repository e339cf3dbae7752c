"""Derives facts, skills, patterns, gotchas and links from events. `steps.py` runs each step on the events that it has not
processed, and stores the results as derivations in the log. `facts`, `episodes` and `entities` read single events, and `worth`
decides which statements become facts; `conclusions` draws gotchas, summaries, patterns and skills from all derivations. Start
with `steps.py`."""
