"""The checksums of the index's pages: what was written is trusted, whatever else is not, and no kill breaks that."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.backends.log.sqlite_errors import as_store_error
from graphmem.backends.text.fts5 import open_index
from graphmem.backends.text.pages import Pages
from graphmem.errors import StoreDamaged

KILLED = """
import os, signal, sys
from pathlib import Path
from graphmem.backends.text import pages
from graphmem import Memory
from graphmem.backends.text.fts5 import open_index
db = open_index(Path(sys.argv[1]))
for n in range(200):
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"k{n % 7}", "x" * 3000))
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
setattr(pages._Sums, sys.argv[2], die)
db.pages.settle()
"""


def filled(path: Path, count: int = 50) -> Path:
    with closing(open_index(path)) as db:
        db.executemany("INSERT INTO names(name) VALUES (?)", [(f"name {n} " * 40,) for n in range(count)])
    return path


def flip(path: Path, place: int) -> None:
    state = path.stat()
    with path.open("r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 4]))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))  # it looks untouched


def count(path: Path) -> int:
    with closing(open_index(path)) as db:
        return int(db.execute("SELECT count(*) FROM names").fetchone()[0])


def test_what_was_written_is_trusted_and_so_is_a_copy(tmp_path: Path) -> None:
    path = filled(tmp_path / "index.db")
    assert count(path) == 50 and not (tmp_path / "index.db-wal").exists()
    filled(path, 0)
    copy = shutil.copytree(tmp_path, tmp_path.with_name(f"{tmp_path.name}-copy"))
    assert count(copy / "index.db") == 50


@pytest.mark.parametrize("place", [30, 5000, -100])
def test_one_bit_is_noticed(tmp_path: Path, place: int) -> None:
    path = filled(tmp_path / "index.db")
    flip(path, place % path.stat().st_size)
    with pytest.raises(StoreDamaged, match="graphmem rebuild"):
        count(path)


def test_it_is_noticed_while_the_file_is_open(tmp_path: Path) -> None:
    path = filled(tmp_path / "index.db")
    with closing(open_index(path)) as db:
        Pages.of(path).check()
        flip(path, 9000)
        with pytest.raises(StoreDamaged, match="1 of"):
            Pages.of(path).check()
        assert "1 of" in (Pages.of(path).problem() or "")
        db.execute("SELECT 1")


def test_lost_or_damaged_checksums_are_no_reason_to_trust(tmp_path: Path) -> None:
    path = filled(tmp_path / "index.db")
    beside = tmp_path / "index.db.sums"
    whole = beside.read_bytes()
    for left in (b"", whole[:-1], whole[:600] + b"\x00\x01" + whole[602:]):
        beside.write_bytes(left)
        os.utime(path)
        with pytest.raises(StoreDamaged):
            count(path)


@pytest.mark.parametrize("step", ["took", "foresee"])
def test_killed_while_it_settles_nothing_is_lost_nor_distrusted(tmp_path: Path, step: str) -> None:
    path = filled(tmp_path / "index.db")
    done = subprocess.run([sys.executable, "-c", KILLED, path, step])
    assert done.returncode == -signal.SIGKILL
    with closing(open_index(path)) as db:
        assert db.execute("SELECT count(*) FROM meta WHERE name GLOB 'k*'").fetchone() == (7,)
        assert Pages.of(path).problem() is None
    assert count(path) == 50


def test_a_reader_of_old_pages_delays_only_some(tmp_path: Path) -> None:
    path = filled(tmp_path / "index.db")
    with closing(open_index(path)) as db, closing(sqlite3.connect(path)) as reader:
        db.execute("DELETE FROM names WHERE number < 10")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM names").fetchone()
        db.execute("DELETE FROM names WHERE number < 20")
        Pages.of(path).settle()
        assert Pages.of(path).problem() is None
        reader.rollback()
        db.execute("DELETE FROM names WHERE number < 30")
        Pages.of(path).settle()
        assert Pages.of(path).problem() is None
    assert count(path) == 21


def test_cut_off_while_the_whole_file_was_written_it_is_not_trusted(tmp_path: Path) -> None:
    path = filled(tmp_path / "index.db")
    with closing(open_index(path)), Pages.of(path).written_anew():
        beside = (tmp_path / "index.db.sums").read_bytes()
        assert count(path) == 50  # the writer lives
    gone = subprocess.Popen(["true"])
    gone.wait()
    head = beside[:512].rstrip().replace(str(os.getpid()).encode(), str(gone.pid).encode(), 1)  # of whatever length
    (tmp_path / "index.db.sums").write_bytes(head.ljust(512) + beside[512:])
    os.utime(path)
    with pytest.raises(StoreDamaged, match="not written completely"):
        count(path)


def test_what_is_left_open_is_closed_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    script = (
        "import sys; from pathlib import Path; from graphmem.backends.text.fts5 import open_index;"
        "db = open_index(Path(sys.argv[1])); db.execute(\"INSERT INTO names(name) VALUES ('one')\")"
    )
    subprocess.run([sys.executable, "-c", script, path], check=True)
    assert count(path) == 1


def test_a_long_log_is_brought_in_by_no_connection_that_is_not_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}) as mem:
        mem.observe_many([{"content": f"{n} the parser keeps " + f"word{n} " * 60} for n in range(900)])
        mem.process()  # writes more than SQLite would keep in the log
        path = mem.location / "index.db"
        for _ in range(3):
            assert mem.search("parser").hits
            assert Pages.of(path).problem() is None
    assert count(path) and Pages.of(path).problem() is None


def test_a_file_of_which_the_system_cannot_read_a_part_is_said_to_be_made_again() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = (
        sqlite3.SQLITE_IOERR | 2 << 8
    )  # a short read, as of a file that was cut off under its readers
    said = as_store_error(error, "index.db cannot be read", "rebuild")
    assert str(said) == "index.db cannot be read: disk I/O error: check the disk, then run `graphmem rebuild`"
    assert str(as_store_error(error, "log.db cannot be read")) == "log.db cannot be read: disk I/O error"


FULL = """
import resource, signal, sys
from pathlib import Path
from graphmem.backends.text.fts5 import open_index
db = open_index(Path(sys.argv[1]))
for n in range(900):
    db.execute("INSERT INTO names(name) VALUES (?)", (f"name {n} " * 40,))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, resource.RLIM_INFINITY))
db.close()
"""
UNTOLD = """
import errno, os, sys
from pathlib import Path
from graphmem.backends.text import pages
from graphmem.backends.text.fts5 import open_index
db, write, left = open_index(Path(sys.argv[1])), pages._Sums.write, [1, 1]
def full(*arguments):
    if not left:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    left.pop()
    write(*arguments)
def fill(numbers):
    for n in numbers:
        db.execute("INSERT INTO names(name) VALUES (?)", (f"name {n} " * 40,))
fill(range(400))
pages._Sums.write = full
db.pages.settle()
db.pages.check()
pages._Sums.write = write
fill(range(400, 402))
db.close()
"""


@pytest.mark.parametrize(("script", "count_then"), [(FULL, 900), (UNTOLD, 402)])
def test_where_there_is_no_room_pages_and_checksums_stay_together(tmp_path: Path, script: str, count_then: int) -> None:
    path = tmp_path / "index.db"
    subprocess.run([sys.executable, "-c", script, path], check=True)
    assert count(path) == count_then
    assert Pages.of(path).problem() is None
    assert not (tmp_path / "index.db-wal").exists()
