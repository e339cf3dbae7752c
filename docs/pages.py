"""Hooks of MkDocs: generate the index and the reference of all commands, so that neither can differ from the program."""

from __future__ import annotations

from typing import Any

import typer.main
from mkdocs.structure.files import File, Files

from graphmem.interfaces.cli.guides import list_guides
from graphmem.interfaces.cli.main import build
from graphmem.interfaces.cli.reference import markdown_page
from graphmem.resources import VERSION

_INDEX = """# graphmem {version}

Memory for coding agents. graphmem stores conversations, commits, test runs, terminal failures, tasks, documents and source code
in one property graph. It is embedded, works offline and needs no language model.

    pip install graphmem
    graphmem init
    graphmem install --for claude-code

| Guide | |
|---|---|
{rows}
| [commands](commands.md) | every command with its options and examples |
"""


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    rows = "\n".join(
        f"| [{name}]({name}.md) | {title.partition(': ')[2] or title} |" for name, title in list_guides().items()
    )
    command: Any = typer.main.get_command(build())
    with command.make_context("graphmem", [], resilient_parsing=True) as context:
        reference = markdown_page(context)
    files.append(File.generated(config, "index.md", content=_INDEX.format(version=VERSION, rows=rows)))
    files.append(File.generated(config, "commands.md", content=reference))
    return files
