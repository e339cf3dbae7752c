"""Names of files and folders of a store that several rooms use."""

from __future__ import annotations

FOLLOW_UPS = "numbered"  # the rows of last answers that callers may name by number; they contain names of files
GRAPH_BESIDE = "compact-"  # begins the name of a copy of the graph while it is made
GRAPH_COPIED = ".compacted"  # ends that of the file which says when it was, and from which size to which
