"""The protocol of an open store for code that writes to the log. Higher layers extend it; the store itself is in
`store`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # hooks import no more than this
    from graphmem.log.append import Recorder
    from graphmem.ports.clock import Clock


class Recording(Protocol):
    """A project, the clock of its events, and the writer to the log."""

    @property
    def project(self) -> str: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def recorder(self) -> Recorder: ...
