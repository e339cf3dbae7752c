"""Names of files and folders of a store that several rooms use."""

from __future__ import annotations

FOLLOW_UPS = "numbered"  # the rows of last answers that callers may name by number; they contain names of files
