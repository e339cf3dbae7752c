"""`graphmem bench compare`: the same questions for every system, failures as failures, and intervals from the questions."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from graphmem.bench import compare, compare_truth
from graphmem.bench.rivals import runner
from graphmem.errors import UsageError
from graphmem.interfaces.cli import benchmarks

GIVEN = {
    "cases": [
        {
            "documents": [["a", "Retries stop after five attempts."], ["b", "Marta owns the billing module."]],
            "queries": ["who owns billing", "when do retries stop", "?"],
        }
    ],
    "k": 2,
}


def test_each_rival_is_pinned_and_needs_only_its_own_package() -> None:
    for name in compare.RIVALS:
        path = Path(runner.__file__).with_name(f"rival_{name}.py")
        pins = runner.pins_of(path)
        assert name == "fts5" or pins
        assert all(package and re.fullmatch(r"\d+(\.\d+)+(\.post\d+)?", version) for package, version in pins), name
        assert "graphmem" not in re.findall(r"^(?:from|import) (\w+)", path.read_text("utf-8"), re.M)


def test_a_rival_answers_in_order() -> None:
    answer = runner.run_rival("fts5", GIVEN)
    assert answer["hits"] == [["b"], ["a"], []] and len(answer["ms"]) == 3


@pytest.mark.parametrize(
    ("line", "raised", "failure"),
    [
        ("# pip: no-such-package==1.0", "", "not installed: pip install no-such-package==1.0"),
        ("# pip: numpy==0.0.1", "", "is installed instead of 0.0.1"),
        ("", "raise ValueError('no\\n model')", "ValueError: no model"),
        ("", "def build(documents, folder): return lambda query, k: 1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_what_does_not_run_is_a_failure(
    line: str, raised: str, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rival_x.py").write_text(f"{line}\n{raised}\n", "utf-8")
    monkeypatch.setattr(runner, "__file__", str(tmp_path / "runner.py"))
    assert failure in runner.run_rival("x", GIVEN)["failed"]


def test_an_interpreter_that_is_missing_or_dies_is_a_failure(tmp_path: Path) -> None:
    assert "did not answer" in compare.ask_rival("fts5", GIVEN, tmp_path / "python")["failed"]
    dying = tmp_path / "dying"
    dying.write_text("#!/bin/sh\nexit 9\n", "utf-8")
    dying.chmod(0o700)
    assert "status 9" in compare.ask_rival("fts5", GIVEN, dying)["failed"]


def test_recall_and_its_interval_are_those_of_the_questions() -> None:
    gold = [frozenset({"a"})] * 50 + [frozenset({"a", "b"})] * 50
    answer = {"version": "1", "fill_s": 1.0, "hits": [["x", "a"]] * 100, "ms": [1.0, *[3.0] * 99]}
    found = compare.score("one", answer, gold)
    assert found.recall == {"recall@1": 0.0, "recall@5": 0.75, "recall@10": 0.75} and found.query_ms == 3.0
    assert found.interval[0] < 0.75 < found.interval[1] and found.interval[1] - found.interval[0] < 0.12
    assert compare.score("one", answer, gold) == found  # seeded


def test_the_command_prints_a_table_or_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "paraphrase_en.tsv").write_text(
        "Retries stop after five attempts.\tHow often do we try again?\n", "utf-8"
    )
    (tmp_path / "korean.tsv").write_text("결제 모듈은 민수가 담당한다.\t결제 모듈 담당자는 누구야?\tlexical\n", "utf-8")
    benchmarks.compare("compare", tmp_path, "fts5, kuzu_memory", Path(sys.executable), as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [one["system"] for one in found["results"]] == ["graphmem", "fts5", "kuzu_memory"]
    assert found["results"][0]["recall"]["recall@5"] == 1.0 and found["results"][2]["failed"].startswith(
        "not installed"
    )
    assert {"machine", "data", "at", "seed"} <= found.keys()
    text = compare.markdown(found)
    assert "| graphmem | " in text and "failed: not installed" in text
    with pytest.raises(UsageError, match="unknown rival"):
        benchmarks.compare("compare", tmp_path, "fts6", as_json=False)
    with pytest.raises(UsageError, match="--data"):
        benchmarks.compare("compare", None, None, as_json=False)


def test_a_rival_runs_in_the_environment_of_its_name(tmp_path: Path) -> None:
    python = tmp_path / "fts5" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert compare.interpreter_of("fts5", None, tmp_path) == python
    assert compare.interpreter_of("mem0", Path("other"), tmp_path) == Path("other")
    assert compare.interpreter_of("mem0", None, None) == Path(sys.executable)


def test_all_pinned_packages_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rival_x.py").write_text("# pip: numpy==0.0.1 no-such-package==1.0\n", "utf-8")
    monkeypatch.setattr(runner, "__file__", str(tmp_path / "runner.py"))
    assert runner.run_rival("x", GIVEN) == {"failed": "not installed: pip install numpy==0.0.1 no-such-package==1.0"}


def test_statements_over_time_are_scored_by_what_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "language": "en",
        "old": [["2025-01-14", "The queue is RabbitMQ."]],
        "now": ["2025-06-03", "We replaced RabbitMQ with NATS as the queue."],
        "beside": [["2025-06-04", "Dead letters are read every morning."]],
        "question": "What is the queue?",
        "past": "What was the queue before NATS?",
    }
    (tmp_path / "truth.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    benchmarks.compare("compare-truth", tmp_path, "fts5,mem0", as_json=True)
    found = {(one["system"], one["language"]): one for one in json.loads(capsys.readouterr().out)["results"]}
    assert found["graphmem", ""]["past"] == [1, 1] and found["graphmem", "en"]["as_of"] == [1, 1]
    assert found["fts5", ""]["outdated"] == [1, 1] and found["fts5", ""]["as_of"] is None
    assert found["mem0", ""]["failed"].startswith("not installed")
    (scenario,) = compare_truth.load_scenarios(tmp_path)
    answer = {"version": "1", "hits": [[scenario.now], [scenario.now, *scenario.old]], "as_of": [[scenario.now]]}
    every, english = compare_truth.score("one", answer, [scenario])
    assert every.current == english.current == every.past == (1, 1) and every.outdated == every.as_of == (0, 1)


def test_the_scenarios_of_the_project_are_complete() -> None:
    scenarios = compare_truth.load_scenarios(Path(__file__).parents[3] / "fixtures" / "questions")
    assert [each.language for each in scenarios].count("ko") == 7 and len(scenarios) == 25
    for each in scenarios:
        dates = {one.ref: one.at for one in each.documents}
        assert each.old and all(dates[ref] < dates[each.now] for ref in each.old)
