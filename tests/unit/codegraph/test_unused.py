"""Unused code that others may use: what a package only passes on, fields and constants that nothing reads, and symbols whose
name occurs elsewhere, with the place."""

from __future__ import annotations

from pathlib import Path

from graphmem.codegraph.build import build
from graphmem.codegraph.deadcode import DeadCode, dead_code
from graphmem.codegraph.view import View


def _report(root: Path, files: dict[str, str], **options: bool) -> DeadCode:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    view = View(build(root))
    texts = [(path, (root / path).read_text()) for path in view.index.sources]
    return dead_code(view, texts=texts, **options)


def _names(rows) -> set[str]:
    return {row.symbol.name for row in rows}


GO = {
    "go.mod": "module example.org/a\n",
    "a.go": (
        "package a\n\n// Lost does nothing. Lost is not called.\nfunc Lost() {}\n\ntype Problem interface {\n\terror\n\tCode() int\n}\n\n"
        "type Gone struct{ Line int }\n\nfunc (g *Gone) Error() string { return g.Place() }\n\nfunc (g *Gone) Code() int { return g.Line }\n\n"
        "func (g *Gone) Place() string { return \"\" }\n\ntype Kept struct{}\n\nfunc (k Kept) Error() string { return \"\" }\n\n"
        "func (k Kept) Code() int { return 1 }\n\nfunc Fail() Problem { return Kept{} }\n\nfunc Parse() {}\n"
    ),
    "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestFail(t *testing.T) { Fail() }\n',
    "cmd/main.go": (
        'package main\n\nimport "example.org/a"\nimport "example.com/flag"\n\n'
        "func main() {\n\tset := flag.New()\n\tset.Parse()\n\tprintln(a.Fail())\n}\n"
    ),
}  # fmt: skip


def test_exported_functions_with_a_comment_are_unused_all_the_same(tmp_path: Path) -> None:
    found = _report(tmp_path, GO, exported=True)
    assert _names(found.dead) == {"Lost", "Gone"}  # its own methods are no users of a type
    assert _names(found.doubts) == {"Parse"} and found.doubts[0].file == "cmd/main.go"
    hidden = _report(tmp_path, GO)
    assert not hidden.dead and hidden.spared["exported"] == 2  # as many as --exported lists


def test_an_interface_that_embeds_one_of_the_library_is_implemented(tmp_path: Path) -> None:
    _report(tmp_path, GO)
    links = build(tmp_path).links["a.go"].edges
    fulfilled = {edge.source.rpartition(".")[2] for edge in links if edge.type == "IMPLEMENTS"}
    assert fulfilled == {"Gone", "Kept"}


def test_what_a_package_only_passes_on_is_unused(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from ._errors import Lost as Lost\nfrom ._errors import Raised as Raised\nfrom ._errors import Tried as Tried\n",
        "pkg/_errors.py": "class Lost(Exception): ...\n\n\nclass Raised(Exception): ...\n\n\nclass Tried(Exception): ...\n",
        "pkg/run.py": "from pkg._errors import Raised\n\n\ndef run():\n    raise Raised\n\n\nrun()\n",
        "tests/test_run.py": "from pkg import Tried\n\n\ndef test_it():\n    raise Tried\n",
    }
    assert _names(_report(tmp_path, files, exported=True).offered) == {"Lost"}
    assert not _names(_report(tmp_path, files).dead)


def test_fields_and_constants_that_nothing_reads_are_listed(tmp_path: Path) -> None:
    files = {
        "src/stream.ts": (
            'export const version = "2";\nexport const prefix = "Fe"; // as of version 2\n\n'
            "export class Stream {\n  private _handled = false;\n  private _open = false;\n"
            "  close() {\n    this._handled = true;\n    return this._open;\n  }\n}\n"
        ),
        "src/main.ts": 'import { Stream, prefix } from "./stream";\n\nnew Stream().close();\nconsole.log(prefix);\n',
    }
    found = _report(tmp_path, files, exported=True)
    assert _names(found.values) == {"version", "_handled"}
    assert _names(_report(tmp_path, files).values) == {"_handled"}  # the others are for programs outside of the tree


def test_records_and_objects_of_frameworks_have_fields_that_nothing_names(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.org/a\n",
        "a.go": 'package a\n\ntype row struct {\n\tname string `json:"name"`\n}\n\nfunc Show() any { return row{} }\n',
        "docs/conf.py": "html_theme = 'plain'\n",
        "config.ts": "export default define({ transform() { return 1 }, shown: { page() {} } });\n",
    }
    found = _report(tmp_path, files)
    assert not found.values and not found.dead


def test_a_method_with_a_computed_name_is_called_by_the_language(tmp_path: Path) -> None:
    source = "class Headers {\n  [Symbol.iterator]() { return 1 }\n  #lost() { return 2 }\n}\nexport const all = () => [...new Headers()]\n"
    found = _report(tmp_path, {"headers.ts": source})
    assert _names(found.dead) == {"#lost"}


def test_exported_names_of_programs_and_internal_packages_are_not_public(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.org/a\n",
        "a.go": 'package a\n\nimport (\n\t"io"\n\n\t"example.org/a/internal/pipe"\n)\n\n'
        "func Offered(r io.ReadCloser) { pipe.Used(r) }\n",
        "internal/pipe/pipe.go": 'package pipe\n\nimport "io"\n\nfunc Used(r io.Reader) {}\n\nfunc Lost() {}\n\n'
        "type ReadCloser struct{ r io.Reader }\n\nfunc NewReadCloser(r io.Reader) *ReadCloser { return &ReadCloser{r} }\n\n"
        "func (r *ReadCloser) Read(p []byte) (int, error) { return r.r.Read(p) }\n",
        "cmd/main.go": "package main\n\nfunc main() {}\n\nfunc Unused() {}\n",
    }
    found = _report(tmp_path, files)
    assert _names(found.dead) == {"Lost", "NewReadCloser", "Unused"}
    assert _names(found.followers) == {"ReadCloser"}  # with its methods, which convention would keep
    assert found.spared["exported"] == 1


SCALA = {
    "src/a.scala": (
        "package app\n\nobject Run {\n  def visit() = new java.nio.file.SimpleFileVisitor[String] {\n    def visitFile(p: String) = helper()\n"
        "    def helper(): Int = 1\n  }\n  implicit def toText(i: Int): String = i.toString\n"
        "  implicit val order: Ordering[Int] = null\n  private def lost(): Int = 2\n  def main(args: Array[String]): Unit = visit()\n}\n"
    ),
    "src/b.kt": (
        "package app\n\nclass Kept : java.io.Serializable {\n  private fun writeReplace(): Any = this\n  private fun gone(): Int = 1\n}\n"
        "fun use() { println(Kept()) }\n"
    ),
    "test/a.scala": "package app\n\nobject RunTests extends utest.TestSuite {\n  val tests = 1\n}\n",
}


def test_what_a_compiler_or_the_library_looks_for_is_not_dead(tmp_path: Path) -> None:
    report = _report(tmp_path, SCALA, exported=True)
    assert _names(report.dead) == {"lost", "gone", "use"}
    assert not _names(report.values) & {"order"}
    assert report.spared["used implicitly"] == 1
