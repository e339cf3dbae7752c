"""Which symbols can be found by their words: what a test defines for itself is part of that test."""

from pathlib import Path

from support import Repository

from graphmem import Memory

TESTS = '''def helper():
    """Prepare the quay."""


def test_crane_lifts():
    class Crane:
        """Lift barrels."""

    def hoist():
        return "windlass"


class TestQuay:
    def test_is_wet(self):
        class Crane:
            """Lift barrels."""
'''


def test_what_a_test_defines_for_itself_is_no_hit_but_makes_the_test_one(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_quay.py").write_text(TESTS)
    (tmp_path / "test.py").write_text("def outer():\n    def inner():\n        pass\n")
    memory.index_code(tmp_path)
    found = {hit.title for hit in memory.search("crane barrels quay outer inner helper", k=50, kinds=["symbol"]).hits}
    assert found == {
        "tests.test_quay", "tests.test_quay.helper", "tests.test_quay.test_crane_lifts", "tests.test_quay.TestQuay",
        "tests.test_quay.TestQuay.test_is_wet", "test", "test.outer", "test.outer.inner",
    }  # fmt: skip
    assert memory.search("windlass", kinds=["symbol"]).hits[0].title == "tests.test_quay.test_crane_lifts"


def test_a_constant_or_a_field_is_found_if_it_has_a_value(memory: Memory, tmp_path: Path) -> None:
    text = "MAX_BERTHS = 12\n\n\nclass Quay:\n    depth: int = 9\n    name: str\n"
    (tmp_path / "harbour.py").write_text(text)
    memory.index_code(tmp_path)
    assert memory.search("how many berths by default").hits[0].title == "harbour.MAX_BERTHS"
    assert memory.search("default depth").hits[0].title == "harbour.Quay.depth"
    assert "harbour.Quay.name" not in {hit.title for hit in memory.search("name of the quay", k=20).hits}


def test_what_changed_between_two_versions_is_found_by_tags_with_a_letter(
    memory: Memory, repository: Repository
) -> None:
    for number, name in enumerate(("One", "Two", "Three")):
        repository.commit(name, {"quay.py": f"DEPTH = {number}\n"})
        repository.git("tag", f"v1.{number}")
    memory.index_code(repository.path)
    answer = memory.ask("what changed between 1.0 and 1.2?")
    assert answer.lines[0] == "2 commits between 1.0 and 1.2, newest first" and "Three" in answer.lines[1]


def test_a_symbol_is_dated_by_the_last_commit_to_its_file(memory: Memory, repository: Repository) -> None:
    repository.commit("One", {"quay.py": "def moor():\n    pass\n", "crane.py": "def lift():\n    pass\n"})
    repository.commit("Two", {"crane.py": "def lift():\n    return 1\n"}, at=1_700_100_000)
    (repository.path / "new.py").write_text("def swing():\n    pass\n")
    memory.index_code(repository.path)
    memory.ingest("git", repository.path)
    memory.process()
    hits = {hit.title: hit for hit in memory.search("moor lift swing", kinds=["symbol"]).hits}
    dates = {name: int(hit.at.timestamp()) for name, hit in hits.items()}
    assert dates["quay.moor"] < dates["crane.lift"] == 1_700_100_000 < dates["new.swing"]
    assert memory.details([hits["crane.lift"].id])[0].at == hits["crane.lift"].at
