"""Context of a page: the store, the language, the address, and navigation. One per open browser tab."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from nicegui import background_tasks, ui

from graphmem.errors import GraphmemError
from graphmem.interfaces.http.lanes import Lane, LaneExecutor
from graphmem.interfaces.http.live import Hub
from graphmem.interfaces.http.routes import find
from graphmem.interfaces.languages import translate_message, translate_text
from graphmem.interfaces.web.commands import name_pages
from graphmem.memory import Memory
from graphmem.model.tasks import to_datetime

T = TypeVar("T")
Listener = Callable[[str, Any], Awaitable[None] | None]
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def address(path: str, **query: Any) -> str:
    """Return a link within the viewer; empty parameters are omitted."""
    given = {name: value for name, value in query.items() if value not in (None, "", (), [], False)}
    return f"{path}?{urlencode(given)}" if given else path


class View:
    """One browser tab."""

    def __init__(self, lanes: LaneExecutor, hub: Hub, language: str) -> None:
        self.lanes = lanes
        self.hub = hub
        self.language = language
        self.store = ""  # its name, if the server has several
        self.behind: Callable[[Any], None] = lambda state: None  # shows that projections are catching up
        self.count_decided: Callable[[int], None] = lambda by: None  # changes how many wait in the open review queue
        self.rated: list[
            Callable[[str, Any], None]
        ] = []  # hear of each rating on the open page: id, and the rating or None
        self.jumped: int | None = None  # number of the failure of a session that was last jumped to
        self._listener: Listener | None = None
        self._task: asyncio.Task[None] | None = None

    def t(self, text: str, **values: object) -> str:
        """Translate a text to the user's language."""
        return translate_text(self.language, text, **values)

    def plain(self, message: str) -> str:
        """Return a message in the user's language, with the names of pages in place of commands. One that is only known in
        English names the pages in English, too."""
        said = translate_message(self.language, message)
        return name_pages(message, str) if said is None else name_pages(said, self.t)

    def relation(self, type: str) -> str:
        """Return a type of relation in words of the user's language."""
        found = self.t(type)
        return found if found != type else type.lower().replace("_", " ")

    async def run(self, call: Callable[[Memory], T], lane: Lane = "quick") -> T:
        """Run a call on the memory and return its result."""
        return await self.lanes.run(call, lane)

    async def verb(self, name: str, **given: Any) -> Any:
        """Run a verb and return its result."""
        return await self.lanes.verb(find(name), given)

    async def attempt(self, work: Awaitable[T]) -> T | None:
        """Return the result, or show the error and return None."""
        try:
            return await work
        except GraphmemError as error:
            with contextlib.suppress(RuntimeError):  # the page has gone
                ui.notify(self.plain(str(error)), type="warning", multi_line=True)
            return None

    def go(self, path: str, **query: Any) -> None:
        """Navigate to another page."""
        ui.navigate.to(address(path, **query))

    def stays(self, path: str, **query: Any) -> None:
        """Put the page state into the address bar, so that it can be shared."""
        ui.navigate.history.replace(address(path, **query))

    def listen(self, listener: Listener | None) -> None:
        """Subscribe the current page to store updates, as (channel, data)."""
        self._listener = listener

    def start(self) -> None:
        """Follow the store until the tab is closed."""
        client = ui.context.client

        async def follow() -> None:
            async with self.hub.listen() as queue:
                while True:
                    message = await queue.get()
                    if client.is_deleted:
                        return
                    with client:
                        if message["channel"] == "outbox":
                            self.behind(message["data"])
                        work = self._listener(message["channel"], message["data"]) if self._listener else None
                        if work is not None:
                            await work

        self._task = background_tasks.create(follow(), name="follow the store")
        client.on_delete(self.stop)

    def stop(self) -> None:
        """Stop following: the tab was closed."""
        if self._task is not None:
            self._task.cancel()

    def local(self, at_us: int) -> datetime:
        """Return a time of the log in the zone of this machine."""
        at = to_datetime(at_us)
        try:
            return at.astimezone()
        except OverflowError:  # at the ends of the supported range
            return at

    def clock(self, at_us: int) -> str:
        """Return the time of day, in the zone of this machine."""
        return f"{self.local(at_us):%H:%M}"

    def day(self, day: date) -> str:
        """Return a day in words."""
        today = datetime.now().astimezone().date()
        name = {0: self.t("Today"), 1: self.t("Yesterday")}.get((today - day).days, self.t(_WEEKDAYS[day.weekday()]))
        return f"{name}, {day.isoformat()}"

    def ago(self, at: datetime | None) -> str:
        """Return a relative time in words."""
        if at is None:
            return ""
        seconds = (datetime.now(UTC) - at).total_seconds()
        if seconds < 0 or seconds > 30 * _DAY:
            return f"{at:%Y-%m-%d}"
        for span, text in ((_DAY, "{n} d ago"), (_HOUR, "{n} h ago"), (_MINUTE, "{n} min ago")):
            if seconds >= span:
                return self.t(text, n=int(seconds // span))
        return self.t("just now")
