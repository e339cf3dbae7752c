"""Ways from one function to another, names within a file, and lines that are of another symbol of the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.interfaces.text.answers import FORMS
from graphmem.interfaces.text.code import calls_text

GO = {
    "go.mod": "module example.org/shop\n",
    "server.go": """package shop

import "net/http"

type Server struct {
	store *Store
}

func (s *Server) Serve() {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /flush", s.handleFlush)
	http.ListenAndServe(":80", mux)
}

func (s *Server) handleFlush(w http.ResponseWriter, r *http.Request) {
	var kept *Disk
	_ = kept
	s.store.Flush()
}

func Ask(client *http.Client) {
	client.Post("http://localhost/flush", "text/plain", nil)
}
""",
    "store.go": """package shop

type Writer interface{ Write() }

type Store struct {
	Strict bool
	disk   Disk
	out    Writer
}

type Disk struct{ Strict bool }

func (d *Disk) Write() { burn() }

func (s *Store) Flush()  { s.first() }
func (s *Store) first()  { s.second() }
func (s *Store) second() { s.third() }
func (s *Store) third()  { s.fourth() }
func (s *Store) fourth() { s.out.Write() }

func burn() {}

func (s *Store) SetStrict(v bool) {
	s.Strict = v
	s.disk.Strict = v
	if v {
		s.Strict = !s.Strict
	}
}
""",
    "other.go": "package shop\n\nfunc Write() {}\n",
}
PYTHON = {
    "disk.py": "class Disk:\n    def write(self):\n        burn()\n\n\ndef burn():\n    pass\n",
    "shop.py": """from disk import Disk


class Store:
    def flush(self, disk: Disk):
        self.first(disk)

    def first(self, disk: Disk):
        self.second(disk)

    def second(self, disk: Disk):
        disk.write()


def handle(store: Store, kept: Disk | None = None):
    store.flush(kept or Disk())


def burn():
    pass
""",
}


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def shop(memory: Memory, tmp_path: Path) -> Memory:
    folder = tmp_path / "shop"
    folder.mkdir()
    memory.index_code(_write(folder, GO))
    return memory


def _steps(memory: Memory, a: str, b: str) -> list[tuple[str, str]]:
    (way,) = memory.code.path(a, b).paths
    return [(step.relation, step.target.rpartition("shop.")[2]) for step in way]


def test_a_chain_of_calls_comes_before_a_shorter_way_over_a_type(shop: Memory) -> None:
    calls = ["Store.Flush", "Store.first", "Store.second", "Store.third", "Store.fourth", "Writer.Write"]
    chain = [*(("CALLS", name) for name in calls), ("IMPLEMENTED BY", "Disk.Write"), ("CALLS", "burn")]
    assert _steps(shop, "Server.handleFlush", "burn") == chain
    assert _steps(shop, "Ask", "burn") == [("REQUESTS", "Server.handleFlush"), *chain]
    assert _steps(shop, "Server.handleFlush", "Disk") == [("USES", "Disk")]


def test_a_chain_of_calls_in_python(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(_write(tmp_path, PYTHON))
    (way,) = memory.code.path("handle", "disk.py:burn").paths
    assert [step.relation for step in way] == ["CALLS"] * 5
    assert [step.target for step in way][-2:] == ["disk.Disk.write", "disk.burn"]


def test_a_name_within_a_file_means_that_symbol(shop: Memory, tmp_path: Path) -> None:
    assert shop.code.source("store.go:burn").symbol == "shop.burn"
    assert shop.code.callers("store.go:Disk.Write").symbol.name == "shop.Disk.Write"
    assert shop.code.impact("store.go:burn").changed[0].name == "shop.burn"
    assert shop.code.source("./other.go:Write").symbol == "shop.Write"
    assert shop.code.source(f"{tmp_path}/shop/other.go:Write").symbol == "shop.Write"
    assert [symbol.name for symbol in shop.code.known("store.go:Flush")] == ["Flush"]


def test_lines_of_another_field_of_the_name_are_left_out(shop: Memory) -> None:
    (own,) = shop.code.callers("Store.Strict").calls
    assert (own.line, own.further) == (24, (27,)) and own.text == "s.Strict = v | 27: s.Strict = !s.Strict"
    (other,) = shop.code.callers("Disk.Strict").calls
    assert (other.line, other.further) == (25, ())
    assert calls_text(shop.code.callers("Disk.Strict")) == (
        "store.go\n  25  Store.SetStrict  s.disk.Strict = v",
        "1 use of shop.Disk.Strict; no unresolved call has its name",
    )


ALMOST_GO = {
    "go.mod": "module example.org/shop\n",
    "port.go": "package shop\n\ntype Store interface {\n\tRead() int\n\tWrite(n int)\n\tList() []int\n\tClose()\n}\n",
    "disk/disk.go": "package disk\n\ntype Store struct{}\n\nfunc (s *Store) Read() int { return 1 }\n\nfunc (s *Store) Write(n int) {}\n\n"
    "func (s *Store) List() []int { return nil }\n\nfunc (s *Store) Close() {}\n",
    "old_test.go": "package shop\n\ntype fakeStore struct{}\n\nfunc (s *fakeStore) Read() int { return 1 }\n\nfunc (s *fakeStore) Write(n int) {}\n\n"
    "func (s *fakeStore) List() []int { return nil }\n\ntype reader struct{}\n\nfunc (r *reader) Read() int { return 1 }\n",
}
ALMOST_TS = {
    "port.ts": "export interface Store { read(): number; write(n: number): void; list(): number[]; }\n",
    "disk.ts": "export class Disk { read() { return 1; } write(n: number) {} }\nexport class Tape { read() { return 1; } }\n",
}
ALMOST_PYTHON = {
    "port.py": "from typing import Protocol\n\n\nclass Store(Protocol):\n    def read(self): ...\n    def write(self, n): ...\n    def list(self): ...\n",
    "disk.py": "class Disk:\n    def read(self):\n        return 1\n\n    def write(self, n):\n        pass\n\n\nclass Tape:\n    def read(self):\n        return 1\n",
}


@pytest.mark.parametrize(
    ("files", "almost"),
    [
        (ALMOST_GO, [("shop.fakeStore", "Close")]),
        (ALMOST_TS, [("disk.Disk", "list")]),
        (ALMOST_PYTHON, [("disk.Disk", "list")]),
    ],
)
def test_types_that_lack_one_method_are_named(
    memory: Memory, tmp_path: Path, files: dict[str, str], almost: list[tuple[str, str]]
) -> None:
    memory.index_code(_write(tmp_path, files))
    found = memory.code.implementations("Store")  # in Go, the only interface of two symbols
    assert found.symbol.file.startswith("port.")
    assert [(place.name, name) for place, name in found.almost] == almost
    assert f"all methods but {almost[0][1]}: " in FORMS[type(found)](found)[0]
