"""Whose words a command line, a program over HTTP and a tool record: a person's, or an agent's."""

from __future__ import annotations

import pytest

from graphmem import Memory
from graphmem.agent_shells import CERTAIN, LIKELY, agent_of
from graphmem.ports.callers import AGENT, PROGRAM, for_agent
from graphmem.trust.origin import origin_of


def origins(memory: Memory, *ids: str) -> list[str]:
    return [origin_of(memory._store.log.get([id])[id]) for id in ids]


@pytest.mark.parametrize("name", sorted(CERTAIN | LIKELY))
def test_each_variable_tells_its_agent_unless_it_is_off(name: str) -> None:
    assert agent_of({name: "1"}) and agent_of({name: "cli"}) == (CERTAIN | LIKELY)[name]
    assert bool(agent_of({name: "1"}, certain=True)) == (name in CERTAIN)
    assert not any(agent_of({name: value}) for value in ("", "0", "false", " No ", "off"))


def test_a_persons_shell_is_no_agents() -> None:
    assert not agent_of({})
    assert not agent_of({"TERM_PROGRAM": "vscode", "AIDER_MODEL": "x", "SSH_AGENT_PID": "7", "USER_AGENT": "x"})


def test_what_an_agent_writes_is_its_own_and_a_program_relays_what_a_person_said(memory: Memory) -> None:
    def write(word: str) -> list[str]:
        task = memory.tasks.create(f"Paint the {word} mast").id
        created = next(event.id for event in memory.history(types=["task_created"]) if event.payload["task"] == task)
        return [memory.remember(f"The {word} mast is white."), created, memory.observe(f"Never paint the {word} mast.")]

    person = write("first")
    with for_agent():
        agent = write("second")
    with for_agent(PROGRAM):
        program = write("third")
    assert origins(memory, *person) == ["person", "person", "person"]
    assert origins(memory, *agent) == [AGENT, AGENT, AGENT]
    assert origins(memory, *program) == [AGENT, AGENT, "person"]
    memory.process()
    rules = {row[0] for row in memory.cypher("MATCH (f:Fact) WHERE f.kind = 'rule' RETURN f.content").rows}
    assert any("first" in rule for rule in rules) and not any("second" in rule for rule in rules)
