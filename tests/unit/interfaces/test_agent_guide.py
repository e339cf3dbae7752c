"""What an agent reads before it asks: it is short, and the commands in it are real."""

from __future__ import annotations

import re

from typer.main import get_command
from typer.testing import CliRunner

from graphmem.interfaces.cli.main import Invocation, build
from graphmem.interfaces.mcp.server import INSTRUCTIONS
from graphmem.text.tokens import count_tokens


def test_the_guide_for_agents_fits_on_a_screen_and_its_commands_are_parsed() -> None:
    given: list[Invocation] = []
    result = CliRunner().invoke(build(), ["help", "agent"])
    assert result.exit_code == 0 and count_tokens(result.output) < 700
    commands = re.findall(r"`graphmem ([^`]+)`", result.output)
    assert len(commands) > 18
    program = get_command(build("", given.append))
    for command in commands:
        words = [word.strip("\"'") for word in re.findall(r"\"[^\"]*\"|\S+", command)]
        program.main(words, standalone_mode=False)
    assert len(given) == len(commands)


def test_the_instructions_of_the_server_are_short() -> None:
    assert count_tokens(INSTRUCTIONS) < 200
