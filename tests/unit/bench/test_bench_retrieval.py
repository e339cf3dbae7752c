"""The retrieval suites on made-up data in the upstream formats: they read it, ask every system and average rightly."""

import gzip
import json

import numpy as np
import pytest

from graphmem.bench import confidence, index, latency, locomo, longmemeval, paraphrase, twowiki
from graphmem.errors import SourceError
from graphmem.memory import Memory


def value(rows, system, metric, group=""):
    (row,) = [row for row in rows if (row.system, row.group) == (system, group)]
    return row.metrics[metric]


def test_locomo(tmp_path):
    talk = {
        "session_1_date_time": "1:00 pm on 1 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a parrot.", "blip_caption": "a green bird"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "My bicycle was stolen."},
        ],
    }
    asked = [
        {"question": "Who adopted a parrot?", "answer": "Ann", "evidence": ["D1:1"], "category": 4},
        {"question": "What was stolen?", "answer": "a bicycle", "evidence": ["D1:2; D9:9"], "category": 1},
        {"question": "Left out, since it has no evidence", "evidence": [], "category": 5},
    ]
    sample = {"sample_id": "c", "conversation": talk, "qa": asked}
    (tmp_path / "conv_0.json.gz").write_bytes(gzip.compress(json.dumps(sample).encode()))
    (case,) = locomo.cases(tmp_path)
    assert case.documents[0].text == "Ann: I adopted a parrot. [shares a picture: a green bird]"
    assert case.documents[0].at.isoformat() == "2023-05-01T13:00:00+00:00"
    rows = locomo.run(tmp_path)
    assert value(rows, "graphmem", "recall@5") == 1.0
    assert value(rows, "BM25", "recall@5", "multi-hop") == 1.0
    assert {row.questions for row in rows if not row.group} == {2}


def test_passages_with_and_without_titles_and_ablations(tmp_path):
    corpus = [{"id": "a", "title": "Ann Lee", "text": "Ann Lee is a pilot born in Oslo."},
              {"id": "b", "title": "Sky", "text": "Sky is a film directed by Ann Lee."}]  # fmt: skip
    questions = [{"id": "q", "question": "Where was the director of Sky born?", "gold": ["a", "b"], "type": "bridge"}]
    for name, lines in (("corpus", corpus), ("questions", questions)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    rows = twowiki.run(tmp_path, ablate=True)
    assert value(rows, "graphmem", "recall@2") == value(rows, "graphmem, no titles", "recall@2") == 1.0
    assert {"without hop", "without words", "without embeddings", "BM25", "embeddings"} <= {row.system for row in rows}


def test_longmemeval_counts_sessions(tmp_path):
    sample = {
        "question_id": "q", "question": "Where is the spare key?", "question_type": "single",
        "haystack_session_ids": ["x", "answer_1"], "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "I like soup."}],
                              [{"role": "user", "content": "The spare key is under the pot."}, {"role": "assistant", "content": "ok"}]],
        "answer_session_ids": ["answer_1"],
    }  # fmt: skip
    (tmp_path / "part.json").write_text(json.dumps([sample]))
    assert value(longmemeval.run(tmp_path), "graphmem", "recall@1") == 1.0


@pytest.mark.deep
def test_latency_reports_every_system_and_fills_a_kept_store_once(tmp_path, monkeypatch):
    for name, fewer in (("_QUERIES", 40), ("_WARM", 5), ("_COLD", 1)):
        monkeypatch.setattr(latency, name, fewer)
    assert latency.run(400, tmp_path).text_seconds > 0
    outcome = latency.run(400, tmp_path)
    assert (outcome.text_seconds, outcome.vector_seconds) == (0, 0)
    assert [timing.system for timing in outcome.timings] == ["graphmem", "FTS5", "graphmem search, whole process"]
    assert all(0 < timing.p50 <= timing.p99 for timing in outcome.timings)


def test_indexing_is_timed_step_by_step(tmp_path):
    with Memory.open(tmp_path, project="p") as memory:
        found = index.measured(memory, 60)
        assert found["items"] == 60 and found["searchable"] <= found["approximate"]
        assert len(memory.search("turn", k=60).hits) > 0


@pytest.mark.parametrize("suite", [locomo, twowiki, longmemeval, paraphrase])
def test_missing_data_is_named(suite, tmp_path):
    with pytest.raises(SourceError) as caught:
        suite.run(tmp_path)
    assert str(tmp_path) in caught.value.message


def test_confidence_asks_with_and_without_the_answer(tmp_path):
    talk = {
        "session_1_date_time": "1:00 pm on 1 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a parrot called Rio."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "My bicycle was stolen near the harbour."},
        ],
    }
    asked = [{"question": "Which parrot did Ann adopt?", "evidence": ["D1:1"], "category": 4},
             {"question": "Where was the bicycle of Bob stolen?", "evidence": ["D1:2"], "category": 4}]  # fmt: skip
    sample = {"sample_id": "c", "conversation": talk, "qa": asked}
    (tmp_path / "conv_0.json.gz").write_bytes(gzip.compress(json.dumps(sample).encode()))
    rows = confidence.run(tmp_path)
    assert rows[0].questions == 4 and rows[0].metrics == {"auroc": 1.0, "refused": 0.0}
    assert sum(row.questions for row in rows[1:]) == 4


def test_auroc_counts_ties_half():
    scores = np.array([0.1, 0.5, 0.5, 0.9])
    assert confidence.auroc(scores, np.array([False, True, False, True])) == 0.875
