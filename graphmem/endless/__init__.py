"""Endless mode: one memory across sessions and short-lived processes (REQUIREMENTS 13). A working set of the last day, what
goes on from it, and memories of what left it. All of it is read from the log each time; no process keeps a state."""
