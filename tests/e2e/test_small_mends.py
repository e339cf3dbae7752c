"""What newcomers met: doctor on a full disk and on a log that cannot be opened, names that turn the direction of writing,
tasks in exported pages, folders that others could list."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from graphmem import Memory, disk
from graphmem.codegraph.view import View, near
from graphmem.interfaces.cli.main import build
from graphmem.interfaces.cli.render import make_console
from graphmem.log.spool import write
from graphmem.sync import health

RTL = "\u202e"


def test_doctor_names_a_full_disk_first(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [one for one in memory.health()["problems"] if one.startswith("disk")]
    monkeypatch.setattr(disk, "_NEARLY_NONE", 1 << 62)
    found = memory.health()
    assert found["problems"][0].startswith("disk: only") and found["advice"][0].startswith("free some space")


def test_doctor_does_not_send_to_the_doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    Memory.open(store).close()
    (store / "log.db").write_bytes(b"no database at all" * 1_000)
    for name in ("log.db-wal", "log.db-shm"):
        (store / name).unlink(missing_ok=True)
    done = CliRunner().invoke(build(), ["--store", str(store), "doctor"])
    done = done if done.exit_code == 1 else CliRunner().invoke(build(), ["doctor", "--store", str(store)])
    assert done.exit_code == 1, done.output
    assert "run `graphmem doctor`" not in done.output and "restore log.db from a backup" in " ".join(
        done.output.split()
    )


@pytest.mark.parametrize("words", [["timeline"], ["browse", "timeline"]])
def test_a_command_without_its_argument_shows_an_example(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "graphmem.interfaces.entry", *words], capture_output=True, text=True)
    assert done.returncode == 2 and "Missing argument 'ids'" in done.stderr
    assert done.stderr.endswith("For example: graphmem timeline mem:Ab12Cd\n")


def test_a_command_with_an_unknown_option_names_its_options() -> None:
    words = ["ask", "who knows the cart?", "--limit", "5"]
    done = subprocess.run([sys.executable, "-m", "graphmem.interfaces.entry", *words], capture_output=True, text=True)
    assert done.returncode == 2 and "No such option: --limit" in done.stderr
    assert "It takes --k, " in done.stderr.splitlines()[-1]


def test_a_problem_is_not_called_mended_as_well() -> None:
    mended = "the graph cannot be trusted: it was changed: made again from the log on 2026-01-01 10:00"
    assert health._is_broken_again(mended, ["graph: the graph cannot be trusted: it was changed"])
    assert not health._is_broken_again(mended, ["text: something else"])


def test_names_of_strangers_reach_no_terminal_raw(capsys: pytest.CaptureFixture[str]) -> None:
    console = make_console()
    console.print(f"file {RTL}cod.exe \x1b]0;title\x07 end")
    assert RTL not in (said := capsys.readouterr().out) and "\x1b" not in said and "end" in said


def test_tasks_in_exported_pages_hold_no_elements(memory: Memory, tmp_path: Path) -> None:
    memory.tasks.create(f"<img src=x onerror=alert(1)> ![x](https://x.example) {RTL}gnorw")
    memory.process()
    memory.export(tmp_path / "page.md", format="markdown")
    text = (tmp_path / "page.md").read_text()
    assert "onerror" in text and "<img" not in text and "![" not in text and RTL not in text


def test_folders_above_a_store_are_private(tmp_path: Path) -> None:
    write(str(tmp_path / "data" / "graphmem" / "store"), "Stop", b"{}")
    Memory.open(tmp_path / "other" / "graphmem" / "store").close()
    for name in ("data", "data/graphmem", "other", "other/graphmem"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700


def test_only_near_names_are_suggested() -> None:
    class Symbol:
        external = False

        def __init__(self, name: str) -> None:
            self.qualified_name = name

    class Named:
        named: ClassVar[dict[str, list[Symbol]]] = {
            name: [Symbol(name)] for name in ("NonExitingOption", "existent_fn", "parse_args")
        }

    view: View = Named()  # type: ignore[assignment]
    assert "NonExitingOption" not in near(view, "nonexistent_fn") and near(view, "parse_arg") == ["parse_args"]
