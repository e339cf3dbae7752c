"""Items, words and links in one disposable SQLite file, `index.db`. This module writes; ranking is in `lexical`, numeric
columns in `columns`."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem.backends.log.sqlite import connect_file, scrub_deleted_rows
from graphmem.backends.log.sqlite_errors import as_store_error, translate_errors
from graphmem.backends.text import lexical, listing, words
from graphmem.backends.text.cites import cites_of
from graphmem.backends.text.columns import Columns, is_among
from graphmem.backends.text.entries import NAME as PRIORS
from graphmem.backends.text.entries import ItemColumns
from graphmem.backends.text.mentions import MentionTable
from graphmem.backends.text.pages import Paged, Pages
from graphmem.backends.text.places import PlaceTable
from graphmem.backends.text.renew import is_current, recreate_tables
from graphmem.backends.text.rows import (
    STORED,
    TURN,
    numbers_of,
    replace_surrogates,
    searched_grams,
    split_item,
    stored_from_row,
    topic_names,
    vector_key,
)
from graphmem.backends.text.statements import placeholders, quote_term, split_parameters
from graphmem.backends.text.subjects import PREFIX
from graphmem.backends.text.text_flags import TextFlag, speaker_of
from graphmem.model.changes import Item, Link
from graphmem.ports.text import ItemFilter, Match, Stored, Traits

if TYPE_CHECKING:
    import numpy as np

    from graphmem.backends.text.columns import Columns
    from graphmem.backends.text.lexical import PostingsCache

_CACHE_KB = 64_000  # of pages, while an index is filled
_TOGETHER = 40_000  # items per commit then: each commit writes pages all over the indexes
_COLUMNS = 17  # columns of the table `items`
_SCHEMA = Path(__file__).with_name("schema.sql")


def open_index(path: Path) -> Paged:
    """Open or create `index.db`, whose commits are not synced to disk. Raises StoreDamaged if it is damaged."""
    script = _SCHEMA.read_text("utf-8")
    with Pages.of(path).held():
        db = connect_file(path, _SCHEMA, Paged)
        try:
            pages = db.begin(path)
        except BaseException:
            db.close()
            raise
    try:
        with translate_errors(f"{path.name} cannot be upgraded to this version", "rebuild", path=str(path)):
            if is_current(db, script):
                pages.check()
            else:
                costly = pages.unmarked() or pages.problem() is None
                with pages.written_anew():
                    recreate_tables(db, script, costly=costly)
    except BaseException:
        db.close()
        raise
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("PRAGMA temp_store=MEMORY")
    return db


class Fts5Index:
    """TextIndex, Catalogue, Spellings and Sessions; `mentions` and `places` implement these protocols in the same file.
    Safe for concurrent threads and processes."""

    def __init__(self, path: Path, timeout_s: float = 30) -> None:
        self._lock = threading.RLock()
        self._path = path
        self._db = open_index(path)
        self._pages = Pages.of(path)
        self._db.execute(f"PRAGMA busy_timeout = {int(timeout_s * 1_000)}")  # timeout for another process's transaction
        self._together = self._held = 0  # items that may wait for a commit, and that are waiting
        self._numbers: dict[str, int] = {}
        self._columns: Columns | None = None
        self._postings: PostingsCache | None = None
        self.mentions = MentionTable(self._db, self._lock, self._view)
        self.places = PlaceTable(self._db, self._lock)
        self.columns = ItemColumns(self._db, self._lock, self._transaction)

    # -- writing

    def apply(
        self,
        removed: Sequence[str],
        items: Sequence[Item],
        links: Sequence[Link],
        cursors: Mapping[str, int],
        standings: Sequence[tuple[str, int, int]] = (),
        ahead: str = "",
    ) -> None:
        with self._lock, self._transaction(len(items)):
            if ahead and self.cursors().get(ahead, 0) >= cursors[ahead]:
                return
            self._db.executemany("INSERT OR REPLACE INTO standings(id, until, contested) VALUES (?, ?, ?)", standings)
            self._remove(self._rows(removed))
            self._insert(list({item.id: item for item in items}.values()))
            self.mentions.add(links)
            self.places.add_files(links)
            self._db.executemany(
                "INSERT INTO cursors VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position",
                cursors.items(),
            )

    @contextmanager
    def _transaction(self, items: int = 0) -> Iterator[None]:
        try:
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
            yield
            self._held += items
            if self._held >= self._together:
                self.settle()
        except sqlite3.Error as error:
            self._rollback()
            raise as_store_error(error, "the index was not changed", "rebuild", path=str(self._path)) from error
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        self._held = 0
        self._numbers.clear()
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _rows(self, ids: Iterable[str]) -> dict[str, int]:
        return {
            item: row
            for part in split_parameters(ids)
            for item, row in self._db.execute(f"SELECT id, row FROM items WHERE id IN ({placeholders(part)})", part)
        }

    def _insert(self, items: list[Item]) -> None:
        if not items:
            return
        items = [item if item.text.isascii() and item.title.isascii() else replace_surrogates(item) for item in items]
        known = self._rows(item.id for item in items) if self._any("items") else {}
        if known:
            same = {one.item for one in self._fetch(list(known.values()))}
            items = [item for item in items if item not in same]
        replaced = {item.id: known[item.id] for item in items if item.id in known}
        kept = [link for link in self.mentions.of(replaced) if not link.entity.startswith(PREFIX)]
        self._remove(replaced)
        first = self._db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'items'").fetchone()[0]
        places = self._write(items, first)
        self.mentions.add(kept + list(topic_names(items)), places)
        self.places.add(items, places)
        self._db.execute(
            "INSERT OR IGNORE INTO jobs(row, model) SELECT row, number FROM items, models m"
            " WHERE row > ? AND embed AND NOT passages"
            " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = m.number AND v.digest = items.digest)",
            (first,),
        )

    def _write(self, items: list[Item], first: int) -> dict[str, int]:
        """Write rows after `first`, each item before its passages; return the rows of the items."""
        uses: Counter[str] = Counter()
        records, contents, terms = [], [], []
        cites = cites_of(self._db, items)
        places: dict[str, int] = {}
        row = first
        for item in items:
            numbers = *map(self._number, (item.kind, item.session, item.project)), item.at, item.sequence
            spoken, found_by = self._number(speaker_of(item)), split_item(item)
            passages, whole = len(found_by) - 1, row + 1
            places[item.id] = whole
            lead = found_by[1] if passages else found_by[0]  # an item has the vector of its first passage
            keys = [vector_key(item.kind, one.title, one.text, one.start) for one in (lead, *found_by[1:])]
            for unit, key in zip(found_by, keys, strict=True):
                row += 1
                found = words.split_words(f"{unit.title} {unit.text}")
                split, body = 0 if unit.number else passages, item.body if unit.number < 2 else ""
                length, shown, settled = numbers_of(unit, found, split, body)
                name = f"{item.id}\x1f{unit.number}" if unit.number else item.id
                cite = "" if unit.number else cites[item.id]
                parent = whole if unit.number else 0
                records.append((row, name, *numbers, length, shown, spoken, item.embed, cite, key, parent, unit.start,
                                split, settled))  # fmt: skip
                own = ("", "", "", "") if unit.number else (item.ref, item.role, item.event, "\n".join(item.tags))
                contents.append((row, unit.title, unit.text, *own, body))
                if not split:
                    uses.update({*found, *body.split()})
                    terms.append((row, unit.title, unit.text, searched_grams(*unit[1:3], item.kind, item.ref), body))
        self._db.executemany(f"INSERT INTO items VALUES ({placeholders(range(_COLUMNS))})", records)
        self._db.executemany("INSERT INTO contents VALUES (?,?,?,?,?,?,?,?)", contents)
        self._db.executemany("INSERT INTO words(rowid, title, text, grams, body) VALUES (?,?,?,?,?)", terms)
        self._spell(uses)
        return places

    def _any(self, table: str) -> bool:
        return self._db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            self._db.execute("INSERT OR IGNORE INTO names(name) VALUES (?)", (name,))
            self._numbers[name] = self._db.execute("SELECT number FROM names WHERE name = ?", (name,)).fetchone()[0]
        return self._numbers[name]

    def _remove(self, rows: Mapping[str, int]) -> None:
        """Erase these items: FTS5 needs the old text to remove it."""
        if not rows:
            return
        gone = [
            (row,)
            for part in split_parameters(rows.values())
            for (row,) in self._db.execute(
                f"SELECT row FROM items WHERE row IN ({placeholders(part)}) OR parent IN ({placeholders(part)})",
                part + part,
            )
        ]
        uses: Counter[str] = Counter()
        digests = set()
        for (row,) in gone:
            title, text, body, key, kind, ref, split = self._db.execute(
                "SELECT c.title, c.text, c.body, i.digest, k.name, w.ref, i.passages FROM contents c JOIN items i USING (row)"
                " JOIN names k ON k.number = i.kind"
                " JOIN contents w ON w.row = CASE i.parent WHEN 0 THEN i.row ELSE i.parent END WHERE c.row = ?",
                (row,),
            ).fetchone()
            digests.add(key)
            if not split:
                self._db.execute(
                    "INSERT INTO words(words, rowid, title, text, grams, body) VALUES ('delete', ?, ?, ?, ?, ?)",
                    (row, title, text, searched_grams(title, text, kind, ref), body),
                )
                uses.subtract({*words.split_words(f"{title} {text}"), *body.split()})
        self.mentions.remove([row for (row,) in gone])
        self.places.remove([row for (row,) in gone])
        for table in ("contents", "items", "jobs"):
            self._db.executemany(f"DELETE FROM {table} WHERE row = ?", gone)
        self._db.executemany("INSERT INTO removed(row) VALUES (?)", gone)
        self._db.executemany(
            "DELETE FROM vectors WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM items WHERE digest = ?1)",
            [(key,) for key in digests],
        )
        self._spell(uses)

    def _spell(self, uses: Mapping[str, int]) -> None:
        """Add word counts (or subtract, if negative); the trigram index has each word in use once."""
        last = self._db.execute("SELECT coalesce(max(number), 0) FROM spellings").fetchone()[0]
        self._db.executemany(
            "INSERT INTO spellings(word, uses) VALUES (?, ?) ON CONFLICT DO UPDATE SET uses = uses + excluded.uses",
            [(word, count) for word, count in uses.items() if words.is_spellable(word)],
        )
        self._db.execute(
            "INSERT INTO trigrams(rowid, word) SELECT number, word FROM spellings WHERE number > ?", (last,)
        )
        if any(count < 0 for count in uses.values()):
            self._db.execute(
                "INSERT INTO trigrams(trigrams, rowid, word)"
                " SELECT 'delete', number, word FROM spellings WHERE uses <= 0"
            )
            self._db.execute("DELETE FROM spellings WHERE uses <= 0")

    def expect_much(self) -> None:
        """Use more page cache, and commit many items at once or on `settle`, because ids and digests are spread over
        their indexes."""
        with self._lock:
            self._db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            self._together = _TOGETHER

    def settle(self) -> None:
        """Commit pending items."""
        with self._lock:
            self._held = 0
            if self._db.in_transaction:
                self._db.execute("COMMIT")

    def clear(self) -> None:
        """Empty the index for a rebuild. Vectors stay until `sweep`, so that nothing is embedded twice."""
        with self._lock, self._transaction():
            for table in ("words", "trigrams"):
                self._db.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")
            for table in (
                "cursors", "items", "contents", "standings", "removed", "spellings", "entities", "mentions", "places",
                "jobs",
            ):  # fmt: skip
                self._db.execute(f"DELETE FROM {table}")
            self._db.execute("DELETE FROM names")
            self._db.execute("DELETE FROM meta WHERE name = ?", (PRIORS,))
            self._db.execute("DELETE FROM sqlite_sequence WHERE name IN ('items', 'removed', 'standings')")
            self._db.execute("INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT DO UPDATE SET value = value + 1")
            self._numbers.clear()

    def sweep(self) -> int:
        """Delete vectors that no item needs; return the count."""
        with self._lock, self._transaction():
            return int(self._db.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM items)").rowcount)

    def purge(self) -> None:
        """Erase all traces of removed items from the files. Raises StoreError while a reader holds old pages."""
        with self._lock:
            for file in self._path.parent.glob("vectors-*"):
                file.unlink(missing_ok=True)
            self._pages.check()
            with self._pages.written_anew():
                with self._transaction():
                    for table in ("words", "trigrams"):
                        self._db.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
                scrub_deleted_rows(self._db)

    # -- TextIndex

    def terms(self, text: str) -> list[str]:
        return words.query_terms(text)

    def search(
        self, terms: Mapping[str, float], where: ItemFilter, limit: int, related: Mapping[str, float] | None = None
    ) -> list[Match]:
        with self._lock:
            columns, postings = self._lists()
            return lexical.search_terms(columns, postings, terms, related or {}, where, limit)

    def _lists(self) -> tuple[Columns, PostingsCache]:
        columns = self._view()
        if self._postings is None:
            self._postings = lexical.PostingsCache(self._db)
        return columns, self._postings

    def _view(self) -> Columns:
        if self._columns is None:
            self._columns = Columns(self._db)
        if self._columns.refresh():
            self._postings = None
        return self._columns

    def items(self, rows: Sequence[int]) -> list[Stored]:
        with self._lock:
            return self._fetch(rows)

    def _fetch(self, rows: Sequence[int]) -> list[Stored]:
        found = {
            one.row: one
            for part in split_parameters(rows)
            for one in map(stored_from_row, self._db.execute(f"{STORED} WHERE i.row IN ({placeholders(part)})", part))
        }
        return [found[row] for row in rows if row in found]

    def contested(self, limit: int) -> list[Stored]:
        with self._lock:
            return self._fetch(listing.list_contested(self._db, limit))

    def find(self, ids: Sequence[str]) -> list[Stored]:
        with self._lock:
            rows: dict[str, int] = {}
            for part in split_parameters(ids):
                for column, table in (("ref", "contents"), ("cite", "items")):
                    named = (
                        f"SELECT {column}, row FROM {table} WHERE {column} <> '' AND {column} IN ({placeholders(part)})"
                    )
                    rows |= self._db.execute(f"{named} ORDER BY row", part)
            rows |= self._rows(ids)
            return self._fetch([rows[name] for name in ids if name in rows])

    def sources(self, kinds: Sequence[str]) -> dict[str, str]:
        query = (
            "SELECT id, event FROM items i JOIN contents USING (row) JOIN names k ON k.number = i.kind"
            f" WHERE k.name IN ({placeholders(kinds)}) AND NOT parent"
        )
        with self._lock:
            return dict(self._db.execute(query, sorted(kinds)))

    def kinds(self) -> list[str]:
        with self._lock:
            return listing.list_kinds(self._db)

    def projects(self) -> list[str]:
        with self._lock:
            return listing.list_projects(self._db)

    def cursors(self) -> dict[str, int]:
        with self._lock:
            return dict(self._db.execute("SELECT projection, position FROM cursors"))

    def check(self) -> None:
        """Raise StoreDamaged if the file was modified."""
        self._pages.check()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # -- Spellings

    def unknown(self, words: Sequence[str]) -> list[str]:
        with self._lock:
            columns, postings = self._lists()
            last = columns.size - 1
            return [word for word in words if not len(columns.living(postings.rows(quote_term(word), last)))]

    def frequencies(self, words: Sequence[str], where: ItemFilter) -> tuple[int, list[int]]:
        with self._lock:
            return lexical.document_frequencies(*self._lists(), words, where)

    def similar(self, word: str, limit: int) -> list[tuple[str, float]]:
        wanted = words.character_trigrams(word.lower())
        if not wanted:
            return []
        with self._lock:
            counts: Counter[int] = Counter()
            query = "SELECT rowid FROM trigrams WHERE trigrams MATCH ?"
            for gram in wanted:
                counts.update(n for (n,) in self._db.execute(query, (quote_term(gram),)))
            near = [number for number, shared in counts.most_common(50) if shared * 2 >= len(wanted)]
            found = self._db.execute(
                f"SELECT word FROM spellings WHERE number IN ({placeholders(near)})", near
            ).fetchall()
        scored = [
            (other, len(wanted & (theirs := words.character_trigrams(other))) / len(wanted | theirs))
            for (other,) in found
        ]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def beginning(self, letter: str) -> list[str]:
        with self._lock:
            query = "SELECT word FROM spellings WHERE word >= ? AND word < ? AND uses > 0"
            return [word for (word,) in self._db.execute(query, (letter, letter + "\x7f"))]

    # -- Sessions

    def around(self, row: int, window: int) -> list[Stored]:
        query = (
            "SELECT row FROM items WHERE session = :session AND NOT parent"
            " AND (sequence, row) {sign} (:sequence, :row) ORDER BY sequence {order}, row {order} LIMIT :window"
        )
        with self._lock:
            here = self._db.execute(
                "SELECT session, sequence, name, CASE parent WHEN 0 THEN row ELSE parent END"
                " FROM items JOIN names ON number = session WHERE row = ?",
                (row,),
            ).fetchone()
            if here is None:
                return []
            row = here[3]
            if not here[2]:
                return self._fetch([row])
            values = {"session": here[0], "sequence": here[1], "row": row, "window": window}
            before = self._db.execute(query.format(sign="<", order="DESC"), values).fetchall()
            after = self._db.execute(query.format(sign=">", order="ASC"), values).fetchall()
            return self._fetch([r for (r,) in reversed(before)] + [row] + [r for (r,) in after])

    def neighbours(self, rows: Sequence[int], width: int) -> list[list[int]]:
        import numpy as np

        with self._lock:
            columns = self._view()
            start = np.asarray(rows, np.int64)
            start = np.where(start < columns.size, start, 0)
            steps = [columns.step(start, d) if d else start for d in range(-width, width + 1)]
            return [list(row) for row in zip(*(step.tolist() for step in steps), strict=True)]

    def traits(self, rows: Sequence[int], speakers: Collection[str], roles: Collection[str] = ()) -> Traits:
        import numpy as np

        with self._lock:
            columns = self._view()
            found = np.asarray(rows, np.int64)
            shown, before = columns.marks[found], columns.marks[columns.before[found]]
            return Traits(
                turn=columns.kind[found] == columns.number(TURN),
                at=columns.at[found],
                length=columns.length[found],
                asks=(shown & TextFlag.QUESTION_ONLY) > 0,
                dated=(shown & TextFlag.HAS_DATE) > 0,
                answers=((before & TextFlag.ENDS_WITH_QUESTION) > 0) & (columns.parent[columns.before[found]] == 0),
                named=is_among(columns.speaker[found], {columns.number(name) for name in speakers}),
                settles=columns.settles[found] / 100,
                parent=columns.parent[found],
                passages=columns.passages[columns.item(found)],
                meant=is_among(columns.speaker[found], {columns.number(role) for role in roles}),
            )

    def mask(self, where: ItemFilter) -> np.ndarray:
        with self._lock:
            return self._view().mask(where)

    def standing(self, rows: Sequence[int]) -> np.ndarray:
        import numpy as np

        with self._lock:
            return self._view().standing(np.asarray(rows, np.int64))
