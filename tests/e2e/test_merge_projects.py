"""A log of the same repository from a folder with another name: its project counts as this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.errors import UsageError

OFFLINE = {"embedding.provider": "none"}


@pytest.fixture
def exported(repository: Repository, tmp_path: Path) -> Path:
    """Return the log of a repository in a folder called skillz."""
    repository.commit("Grow kelp in baskets", {"kelp.py": "def grow():\n    return 1\n"})
    with Memory.open(tmp_path / "a", project="skillz", settings=OFFLINE) as mem:
        mem.ingest("git", repository.path)
        mem.remember("We decided to harvest kelp in the morning.")
        mem.tasks.create("Buy larger baskets")
        mem.process()
        mem.export(tmp_path / "skillz.jsonl")
    return tmp_path / "skillz.jsonl"


def texts(mem: Memory, query: str, **given: object) -> list[str]:
    return [f"{hit.title} {hit.content}" for hit in mem.search(query, **given).hits]  # type: ignore[arg-type]


def assert_whole(mem: Memory) -> None:
    assert any("in the morning" in text for text in texts(mem, "harvest kelp in the morning"))
    assert any("Grow kelp" in text for text in texts(mem, "grow kelp in baskets", kinds=["commit"]))
    assert any("larger baskets" in text for text in texts(mem, "buy larger baskets", kinds=["task"]))


def test_a_new_store_takes_the_project_of_a_trusted_log(exported: Path, repository: Repository, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "b", project="skillz2", settings=OFFLINE) as mem:
        report = mem.merge(exported, trust=True)
        assert (report.others, report.same) == ((), ("skillz",))
        assert_whole(mem)
        assert mem.ingest("git", repository.path).new == 0
        mem.rebuild()
        assert_whole(mem)
        again = mem.merge(exported, trust=True)
        assert (again.records, again.others, again.same) == (0, (), ())


def test_a_log_with_a_common_commit_is_of_the_same_project(
    exported: Path, repository: Repository, tmp_path: Path
) -> None:
    with Memory.open(tmp_path / "b", project="skillz2", settings=OFFLINE) as mem:
        mem.ingest("git", repository.path)
        mem.process()
        assert mem.merge(exported, trust=True).same == ("skillz",)
        assert_whole(mem)


def test_a_log_of_another_repository_stays_another_project(
    exported: Path, make_repository: Callable[[str], Repository], tmp_path: Path
) -> None:
    other = make_repository("other")
    other.commit("Mend the nets")
    with Memory.open(tmp_path / "b", project="nets", settings=OFFLINE) as mem:
        mem.ingest("git", other.path)
        mem.process()
        report = mem.merge(exported, trust=True)
        assert (report.others, report.same) == (("skillz",), ())
        assert texts(mem, "grow kelp in baskets", kinds=["commit"]) == []
        assert mem.merge(exported, trust=True, same_project=True).same == ("skillz",)  # the user knows better
        assert_whole(mem)


def test_a_log_that_nobody_vouches_for_stays_another_project(exported: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "b", project="skillz2", settings=OFFLINE) as mem:
        with pytest.raises(UsageError, match="--trust"):
            mem.merge(exported, same_project=True)
        assert mem.merge(exported).others == ("skillz",)
