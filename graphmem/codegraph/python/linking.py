"""Links files: executes the program as far as required, and reports the relations. Deterministic; a partial run gives the
same result as the complete one."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping

from graphmem.codegraph.python.dispatch import DISPATCH
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.program import Program
from graphmem.codegraph.python.report import Report
from graphmem.codegraph.records import FileFacts, Linked


def link(facts: Mapping[str, FileFacts], *, flow: bool = True, only: Iterable[str] | None = None) -> Linked:
    """See the package."""
    collecting = gc.isenabled()
    gc.disable()  # everything made here lives until the end
    try:
        program = Program(facts)
        machine = Machine(program, DISPATCH, flow=flow)
        report = Report(machine)
        if flow:
            machine.run([fn for module in program.by_path.values() for fn in program.load(module)])
        links = {}
        for path in program.by_path if only is None else only:
            module = program.by_path[path]
            if not flow:
                machine.run(program.load(module))
            links[path] = report.module(module)
        return Linked(links, machine.unfinished)
    finally:
        if collecting:
            gc.enable()
