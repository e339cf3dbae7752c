"""Endless mode: one memory across sessions and short-lived processes. It consists of the working set of the last day,
continuity with earlier work, and memories of what left the working set. All state is read from the log; processes keep
none."""
