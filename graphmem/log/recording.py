"""What everything that writes to the log needs of an open store. Layers above ask for this and for what they use besides; the
store itself is built in `store`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # hooks ask for no more than they load
    from graphmem.log.append import Recorder
    from graphmem.ports.clock import Clock


class Recording(Protocol):
    """A project, the clock of its events, and the way into the log."""

    @property
    def project(self) -> str: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def recorder(self) -> Recorder: ...
