"""A log that is gone: nothing else is thrown away because of it, unless the user says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import StoreDamaged

OFFLINE = {"embedding.provider": "none"}


def test_a_rebuild_without_the_log_is_refused_until_the_loss_is_accepted(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "s", settings=OFFLINE) as mem:
        mem.remember("The kelp is harvested in the morning.")
        mem.process()
    for file in (tmp_path / "s").glob("log.db*"):
        file.unlink()
    index = (tmp_path / "s" / "index.db").stat().st_size
    with Memory.open(tmp_path / "s", settings=OFFLINE) as mem:
        with pytest.raises(StoreDamaged, match="--accept-loss"):
            mem.rebuild()
        assert (tmp_path / "s" / "index.db").stat().st_size == index
        assert mem.rebuild(accept_loss=True).events == 0
        mem.remember("The kelp is harvested in the evening.")
        mem.process()
        assert "evening" in mem.search("when is the kelp harvested").hits[0].content
