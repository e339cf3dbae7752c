"""`python -m graphmem.owner STORE PROJECT`: started by whoever needs a graph first; people need not call it."""

from __future__ import annotations

import sys
from pathlib import Path

from graphmem.owner.daemon import serve

if __name__ == "__main__":
    raise SystemExit(serve(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""))
