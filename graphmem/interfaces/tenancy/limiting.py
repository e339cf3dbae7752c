"""Rate limits and quotas of a shared server. The limits of a minute are kept in memory by the library `limits`; what an account
wrote is counted in the ledger."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from graphmem.errors import LimitReached, NotInstalled
from graphmem.interfaces.tenancy.ledger import Ledger, Usage
from graphmem.interfaces.tenancy.rights import Caller
from graphmem.settings import Server

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.strategies import RateLimiter


class Limiter:
    """The limits of a server. Raises NotInstalled without the extra `server`."""

    def __init__(self, settings: Server, ledger: Ledger) -> None:
        try:
            from limits import RateLimitItemPerMinute
            from limits.storage import MemoryStorage
            from limits.strategies import MovingWindowRateLimiter
        except ImportError as error:
            raise NotInstalled(
                "the shared server needs the extra `server`: run `pip install '.[server]'` in the clone of graphmem"
            ) from error
        self._settings = settings
        self._ledger = ledger
        self._storage = MemoryStorage()
        self._limiter: RateLimiter = MovingWindowRateLimiter(self._storage)
        self._lock = threading.Lock()
        self._requests = _item(RateLimitItemPerMinute, settings.requests_per_minute)
        self._writes = _item(RateLimitItemPerMinute, settings.writes_per_minute)
        self._logins = _item(RateLimitItemPerMinute, settings.logins_per_minute)

    def count_request(self, caller: Caller, *, frees: bool = False) -> None:
        """Count a request; one that `frees` what its account wrote is counted apart, so that those which are refused for a used-up
        quota do not prevent it. Raises LimitReached."""
        kind = "freeing request" if frees else "request"
        self._count(self._requests, f"{kind}:{caller.id}", f"{kind}s")

    def count_failed_login(self, address: str) -> None:
        """Count a wrong token or key from an address."""
        if self._logins is not None:
            with self._lock:
                self._limiter.hit(self._logins, f"login:{address}")

    def check_logins(self, address: str) -> None:
        """Raise LimitReached if too many logins from an address failed."""
        if self._logins is None:
            return
        with self._lock:
            if not self._limiter.test(self._logins, f"login:{address}"):
                raise self._reached(self._logins, f"login:{address}", "failed logins")

    def count_write(self, caller: Caller, project: str, events: int, size: int) -> None:
        """Count a writing call with so many events and bytes; one without events is allowed whatever the quota, and counted apart.
        Raises LimitReached, and then counts nothing as written; what a quota refuses does not count for the rate either."""
        chosen, key = self._settings, f"write:{caller.id}"
        if not events:
            self._count(self._writes, f"freeing {key}", "calls without a new text")
            return
        most = Usage(chosen.quota_events, chosen.quota_mb << 20)
        with self._lock:  # both, or neither
            if self._writes is not None and not self._limiter.test(self._writes, key):
                raise self._reached(self._writes, key, "writing calls")
            exceeded = self._ledger.add_usage(caller.id, project, Usage(events, size), most)
            if not exceeded and self._writes is not None:
                self._limiter.hit(self._writes, key)
        if exceeded:
            raise LimitReached(
                f"the quota of {getattr(most, exceeded):,} {exceeded} in `{project}` is used up: forget something of your own, or"
                " ask an administrator",
                retry_after_s=None,
                limit=f"quota of {exceeded}",
            )

    def drop_unused(self) -> None:
        """Drop what is kept of addresses and accounts that did nothing for a minute. The library keeps their names."""
        with self._lock:
            for key in [key for key, events in list(self._storage.events.items()) if not events]:
                self._storage.clear(key)

    def _count(self, item: RateLimitItem | None, key: str, what: str) -> None:
        if item is None:
            return
        with self._lock:
            if not self._limiter.hit(item, key):
                raise self._reached(item, key, what)

    def _reached(self, item: RateLimitItem, key: str, what: str) -> LimitReached:
        again = max(1, round(self._limiter.get_window_stats(item, key).reset_time - time.time()))
        return LimitReached(
            f"more than {item.amount:,} {what} in a minute: try again in {again} seconds",
            retry_after_s=again,
            limit=f"{what} in a minute",
        )


def _item(kind: type[RateLimitItem], most: int) -> RateLimitItem | None:
    return kind(most) if most else None
