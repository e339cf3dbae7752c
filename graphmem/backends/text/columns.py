"""Numeric columns of all items, indexed by row: kind, session, project, time, length, previous and next turn. They let a
query filter and score a million items without fetching one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import numpy as np

from graphmem.backends.text.entries import VERSION, read_priors
from graphmem.ports.entries import ARCHIVED, CONTESTED, HIDDEN, UNIT, Priors
from graphmem.ports.text import ItemFilter

_MASKS = 32  # filters whose masks are cached
_FIELDS = {
    "kind": np.int32,
    "session": np.int32,
    "project": np.int32,
    "at": np.int64,
    "sequence": np.int64,
    "length": np.float32,
    "marks": np.int8,
    "speaker": np.int32,
    "parent": np.int32,
    "passages": np.int16,
    "settles": np.int8,
}
TURN = "turn"
NEAR = (0.6, 0.4, 0.25, 0.1)  # weight of a word one, two, ... turns away
LEANING = 40  # words of a turn up to which its neighbours count fully
PROVEN, LEVEL = 0.85, 0.05  # weight of feedback, and bonus of each level
ENDED = -1.0  # what is thought of items that carry a replaced value
UNJUDGED = 0.5 * PROVEN + 0.4 * (1 - PROVEN) + LEVEL  # prior of new items


def context_share(length: np.ndarray) -> np.ndarray:
    """Return how much a turn of so many words depends on the surrounding turns, in [0, 1]: a long one is sufficient by
    itself."""
    share: np.ndarray = np.minimum(1.0, LEANING / np.maximum(length, 1.0)).astype(np.float32)
    return share


def parse_integers(text: str | None) -> np.ndarray:
    """Parse the integers of a `group_concat`, which is much faster than one row each."""
    return np.fromstring(text, dtype=np.int64, sep=",") if text else np.empty(0, np.int64)


def distinct_values(values: np.ndarray) -> np.ndarray:
    """Return the distinct values, ascending. `np.unique` does the same, but imports masked arrays first (0.1 s)."""
    ordered = np.sort(values, axis=None)
    different: np.ndarray = ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered
    return different


def is_among(values: np.ndarray, wanted: Iterable[int]) -> np.ndarray:
    """Return which values are in a small set."""
    found = np.zeros(len(values), bool)
    for each in wanted:
        found |= values == each
    return found


class Columns:
    """A view that follows the file. Row 0 does not exist and means "none". Not thread-safe: its owner locks."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._epoch = 0  # incremented when the file is emptied
        self._last = 0  # highest known row
        self._gone = 0  # highest known removal
        self._existed = 0  # highest known supersession state
        self._version = 0  # how often the priors were saved
        self._priors = Priors.empty(0)
        self._tail: dict[int, int] = {}  # session -> its last turn
        self._masks: dict[ItemFilter, np.ndarray] = {}
        self._extents: dict[ItemFilter, tuple[int, float]] = {}
        self._names: dict[str, int] = {}
        self.whole = True  # nothing was removed since the file was created
        self.alive = np.zeros(1, bool)
        self.until = np.zeros(1, np.int64)  # microseconds: superseded since; 0 if current
        self.ended = np.zeros(1, bool)  # told, but most of what it says was replaced
        self.unapproved = np.zeros(1, bool)  # waits for approval, or was rejected
        self.before = np.zeros(1, np.int32)
        self.after = np.zeros(1, np.int32)
        self.span = np.zeros(1, np.float32)
        for name, kind in _FIELDS.items():
            setattr(self, name, np.zeros(1, kind))

    kind: np.ndarray
    session: np.ndarray
    project: np.ndarray
    at: np.ndarray
    sequence: np.ndarray
    length: np.ndarray
    marks: np.ndarray
    speaker: np.ndarray
    parent: np.ndarray  # of a passage: the row of its item
    passages: np.ndarray  # number of passages of an item: they have the following rows
    settles: np.ndarray

    @property
    def size(self) -> int:
        """Return one more than the highest row."""
        return self._last + 1

    def refresh(self) -> bool:
        """Load rows and removals since the last call; return whether the file was emptied meanwhile."""
        epoch, last, gone, stood, version = self._db.execute(
            "SELECT coalesce((SELECT value FROM meta WHERE name = 'epoch'), 0),"
            " coalesce((SELECT max(row) FROM items), 0), coalesce((SELECT max(number) FROM removed), 0),"
            " coalesce((SELECT max(number) FROM standings), 0),"
            " coalesce((SELECT value FROM meta WHERE name = ?), 0)",
            (VERSION,),
        ).fetchone()
        emptied: bool = epoch != self._epoch
        if emptied:
            self.__init__(self._db)  # type: ignore[misc]
            self._epoch = epoch
        if version != self._version or emptied:
            self._version, self._priors = version, read_priors(self._db)
            self._masks.clear()
            self._extents.clear()
        if last <= self._last and gone == self._gone and stood == self._existed:
            return emptied
        self._masks.clear()
        self._extents.clear()
        self._names.clear()
        removed = parse_integers(
            self._db.execute("SELECT group_concat(row) FROM removed WHERE number > ?", (self._gone,)).fetchone()[0]
        )
        self._gone = gone
        added = self._append()
        removed = removed[removed < self.size]
        self.alive[removed] = False
        self._stand(stood)
        self._chain(added, removed)
        self.whole = int(self.alive.sum()) == self.size - 1
        return emptied

    def _stand(self, stood: int) -> None:
        """Load when items were superseded; there are few, so all are read again."""
        if stood:
            rows, until = map(
                parse_integers,
                self._db.execute(
                    "SELECT group_concat(row), group_concat(until) FROM standings JOIN items USING (id) WHERE until"
                ).fetchone(),
            )
            self.until[:] = 0
            self.until[rows] = until
            self.until[: self.size] = self.until[self.item(np.arange(self.size))]
            marked = parse_integers(
                self._db.execute(
                    "SELECT group_concat(row) FROM standings JOIN items USING (id) WHERE contested IN (2, 3)"
                ).fetchone()[0]
            )
            self.ended[:] = False
            self.ended[marked] = True
            self.ended[: self.size] = self.ended[self.item(np.arange(self.size))]
            unapproved = parse_integers(
                self._db.execute(
                    "SELECT group_concat(row) FROM standings JOIN items USING (id) WHERE contested > 3"
                ).fetchone()[0]
            )
            self.unapproved[:] = False
            self.unapproved[unapproved] = True
            self.unapproved[: self.size] = self.unapproved[self.item(np.arange(self.size))]
        self._existed = stood

    def _append(self) -> np.ndarray:
        fields = ", ".join(f"group_concat({name})" for name in ("row", *_FIELDS))
        rows, *values = map(
            parse_integers, self._db.execute(f"SELECT {fields} FROM items WHERE row > ?", (self._last,)).fetchone()
        )
        if len(rows):
            self._last = int(rows.max())
            for name in ("alive", "until", "ended", "unapproved", "before", "after", "span", *_FIELDS):
                column = getattr(self, name)
                if len(column) < self.size:
                    setattr(self, name, _grown(column, self.size))
            self.alive[rows] = True
            for name, value in zip(_FIELDS, values, strict=True):
                getattr(self, name)[rows] = value
            self.span[rows] = self.length[rows]
        return rows

    def _chain(self, added: np.ndarray, removed: np.ndarray) -> None:
        """Link the turns of each session. Appending extends the chain; anything else rebuilds it."""
        turn = self.number(TURN)
        turns = added[(self.kind[added] == turn) & (self.passages[added] == 0)]
        if not len(turns) and not (len(removed) and (self.kind[removed] == turn).any()):
            return
        if len(turns) > 1_000 or (len(removed) and (self.kind[removed] == turn).any()) or not self._extend(turns):
            self._link(np.flatnonzero(self.alive & (self.kind == turn) & (self.passages == 0)))

    def _extend(self, turns: np.ndarray) -> bool:
        nameless = self.number("")
        for row in turns.tolist():
            session = int(self.session[row])
            last = self._tail.get(session, 0)
            if session == nameless:
                continue
            if last and self.sequence[last] >= self.sequence[row] and not 0 < self.parent[row] == self.parent[last]:
                return False
            if last:
                self.after[last], self.before[row] = row, last
            self._tail[session] = row
        self._measure(
            distinct_values(np.concatenate([self.step(turns, -distance) for distance in range(len(NEAR) + 1)]))
        )
        return True

    def _link(self, turns: np.ndarray) -> None:
        turns = turns[self.session[turns] != self.number("")]
        order = turns[np.lexsort((turns, self.sequence[turns], self.session[turns]))]
        self.before[:] = 0
        self.after[:] = 0
        same = self.session[order[1:]] == self.session[order[:-1]]
        self.before[order[1:][same]] = order[:-1][same]
        self.after[order[:-1][same]] = order[1:][same]
        self._tail = dict(zip(self.session[order].tolist(), order.tolist(), strict=True))
        self._measure(order)

    def _measure(self, turns: np.ndarray) -> None:
        """Compute the length of a turn including its neighbours, as the score does."""
        around = np.zeros(len(turns), np.float32)
        for distance, weight in enumerate(NEAR, 1):
            around += weight * (self.length[self.step(turns, -distance)] + self.length[self.step(turns, distance)])
        self.span[turns] = self.length[turns] + context_share(self.length[turns]) * around

    def extent(self, where: ItemFilter) -> tuple[int, float]:
        """Return the number of items that pass the filter, and their mean length in words: term rarity is relative to
        them."""
        known = self._extents.get(where)
        if known is None:
            mask = self.mask(where)
            total = int(mask.sum())
            known = total, max(1.0, float(self.span[: self.size].sum(where=mask)) / max(1, total))
            self._extents[where] = known
        return known

    def living(self, rows: np.ndarray) -> np.ndarray:
        """Return those of these rows that were not removed."""
        return rows if self.whole else rows[self.alive[rows]]

    def number(self, name: str) -> int:
        """Return the number of a kind, session or project; -1 while no item has it."""
        if name not in self._names:
            row = self._db.execute("SELECT number FROM names WHERE name = ?", (name,)).fetchone()
            self._names[name] = row[0] if row else -1
        return self._names[name]

    def mask(self, where: ItemFilter) -> np.ndarray:
        """Return which rows the filter lets through, as booleans by row. Shared: do not write to it."""
        known = self._masks.get(where)
        if known is not None:
            return known
        mask: np.ndarray = self.alive[: self.size] & (self.passages[: self.size] == 0)
        if where.kinds is not None:
            mask &= is_among(self.kind[: self.size], [self.number(kind) for kind in where.kinds])
        else:
            mask &= ~is_among(self.kind[: self.size], [self.number(kind) for kind in where.but])
        if where.session is not None:
            mask &= self.session[: self.size] == self.number(where.session)
        if where.outside is not None:
            mask &= self.session[: self.size] != self.number(where.outside)
        if where.project is not None:
            # Items without a project belong to all projects.
            mask &= is_among(self.project[: self.size], [self.number(where.project), self.number("")])
        if where.since is not None:
            mask &= self.at[: self.size] >= where.since
        if where.until is not None:
            mask &= self.at[: self.size] < where.until
        if self._existed and not where.replaced:
            until = self.until[: self.size]
            mask &= (until == 0) if where.until is None else (until == 0) | (until >= where.until)
        if not where.waiting:
            mask &= ~self.unapproved[: self.size]
        if not where.archived:
            flags = self._priors.flags[: self.size]
            told = np.ones(self.size, bool)
            told[: len(flags)] = (flags & (HIDDEN & ~ARCHIVED if where.faded else HIDDEN)) == 0
            mask &= told[self.item(np.arange(self.size))] if len(flags) else told
        if len(self._masks) >= _MASKS:
            self._masks.clear()
            self._extents.clear()
        self._masks[where] = mask
        return np.asarray(mask)

    def standing(self, rows: np.ndarray) -> np.ndarray:
        """Return the prior of these rows, in [0, 1]: mainly usefulness when shown, then importance and retention;
        increased by the level, halved if contested. Items without feedback count as average; those with a superseded
        value rank below everything (`ENDED`)."""
        kept = self._priors
        rows = self.item(np.where(rows < self.size, rows, 0))
        known = rows < len(kept.importance)
        at = np.where(known, rows, 0)
        ended = self.ended[rows] | (self.until[rows] > 0)
        if not len(kept.importance):
            return np.where(ended, ENDED, UNJUDGED)
        importance = kept.importance[at] / UNIT * (kept.retention[at] / UNIT)
        score = PROVEN * kept.feedback[at] / UNIT + (1 - PROVEN) * importance + LEVEL * np.maximum(kept.level[at], 1)
        score = np.minimum(1.0, score) * np.where(kept.flags[at] & CONTESTED, 0.5, 1.0)
        return np.where(ended, ENDED, np.where(known & (kept.importance[at] > 0), score, UNJUDGED))

    def item(self, rows: np.ndarray) -> np.ndarray:
        """Return the rows of the items of these rows (for passages, their item)."""
        above = self.parent[rows]
        items: np.ndarray = np.where(above > 0, above, rows)
        return items

    def lead(self, row: int) -> int:
        """Return the row by which an item is found: its first passage, or its own row."""
        return row + 1 if row < self.size and self.passages[row] else row

    def step(self, rows: np.ndarray, distance: int) -> np.ndarray:
        """Return the turns at this distance in the session (negative: earlier), 0 if there is none."""
        column = self.after if distance > 0 else self.before
        for _ in range(abs(distance)):
            rows = column[rows]
        return rows


def _grown(column: np.ndarray, size: int) -> np.ndarray:
    grown = np.zeros(max(size, len(column) * 3 // 2), column.dtype)
    grown[: len(column)] = column
    return grown
