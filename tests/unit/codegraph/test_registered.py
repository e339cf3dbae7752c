"""Functions that are kept in tables: whoever reads the table may call them."""

from __future__ import annotations

from pathlib import Path

from graphmem import Memory
from graphmem.codegraph.build import build
from graphmem.codegraph.registered import registered_calls
from graphmem.codegraph.view import View
from graphmem.interfaces.text.code import calls_text

GO = {
    "go.mod": "module example.org/shop\n",
    "shop.go": """package shop

type Factory func(string) int

var factories = map[string]Factory{}

func Register(name string, f Factory) {
	factories[name] = f
}

func Open(name string) int {
	f, ok := factories[name]
	if !ok {
		return 0
	}
	return f(name)
}

var table = map[string]Factory{
	"tape": openTape,
}

func openTape(s string) int { return 1 }

func Use(name string) int { return table[name](name) }
""",
    "bus.go": """package shop

type Bus struct {
	handlers map[string]Factory
	list     []Factory
}

func (b *Bus) On(name string, f Factory) { b.handlers[name] = f }
func (b *Bus) Add(f Factory)             { b.list = append(b.list, f) }
func (b *Bus) Emit(name string) int      { return b.handlers[name](name) }

func (b *Bus) All(name string) {
	for _, f := range b.list {
		f(name)
	}
}

func onOpen(s string) int  { return 2 }
func onClose(s string) int { return 3 }

func setup(b *Bus) {
	b.On("open", onOpen)
	b.Add(onClose)
}

type Command struct{ Run func(string) int }

func runList(s string) int { return 1 }

func newList() *Command { return &Command{Run: runList} }

func Execute(c *Command) int { return c.Run("a") }
""",
    "disk/disk.go": """package disk

import "example.org/shop"

func init() {
	shop.Register("disk", OpenDisk)
}

func OpenDisk(s string) int { return parse(s) }

func parse(s string) int { return 1 }
""",
    "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestOpen(t *testing.T) { Open("disk") }\n',
}
TYPESCRIPT = {
    "bus.ts": """type Handler = (name: string) => number;
export class Bus {
  handlers: Handler[] = [];
  on(f: Handler) { this.handlers.push(f); }
  emit(name: string) { for (const f of this.handlers) f(name); }
}
""",
    "use.ts": """import { Bus } from "./bus";
function onOpen(s: string) { return 3; }
export function setup(bus: Bus) { bus.on(onOpen); }
""",
}
PYTHON = {
    "bus.py": "class Bus:\n    def __init__(self):\n        self.handlers = []\n\n    def on(self, f):\n        self.handlers.append(f)\n\n"
    "    def emit(self, name):\n        for f in self.handlers:\n            f(name)\n",
    "use.py": "from bus import Bus\n\n\ndef on_open(s):\n    return 1\n\n\ndef setup(bus: Bus):\n    bus.on(on_open)\n",
}


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _calls(root: Path) -> set[tuple[str, str, str]]:
    view = View(build(root))
    edges = registered_calls(view, lambda path: (root / path).read_text())
    return {(view.symbols[e.source].name, view.symbols[e.target].name, e.strategy) for e in edges}


def test_functions_in_tables_are_called_by_those_who_read_them(tmp_path: Path) -> None:
    assert _calls(_write(tmp_path, GO)) == {
        ("Open", "OpenDisk", "registered in factories"),
        ("Use", "openTape", "registered in table"),
        ("Emit", "onOpen", "registered in handlers"),
        ("All", "onClose", "registered in list"),
        ("Execute", "runList", "registered in Run"),
    }


def test_a_list_of_handlers_in_other_languages(tmp_path: Path) -> None:
    assert _calls(_write(tmp_path / "ts", TYPESCRIPT)) == {("emit", "onOpen", "registered in handlers")}
    assert _calls(_write(tmp_path / "py", PYTHON)) == set()  # the values were followed


def test_callers_tests_and_ways_go_over_tables(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(_write(tmp_path, GO))
    assert "  12  Open  registered in factories" in calls_text(memory.code.callers("disk.OpenDisk"))[0]
    plan = memory.code.tests("disk.parse")
    assert [test.name for test, _ in plan.tests] == ["shop.TestOpen"] and plan.files == ("shop_test.go",)
    (way,) = memory.code.path("TestOpen", "disk.parse").paths
    assert [step.target for step in way] == ["shop.Open", "disk.OpenDisk", "disk.parse"]
