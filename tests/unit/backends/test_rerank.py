"""Rerankers: a real HTTP server that answers well, badly or not at all, and clear words for what is not there."""

from __future__ import annotations

import importlib.util
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.backends.rerank.http import HttpReranker
from graphmem.backends.rerank.local import FastEmbedReranker, SentenceTransformerReranker
from graphmem.backends.rerank.onnx import OnnxReranker
from graphmem.errors import StoreError, UsageError


class Shouting(BaseHTTPRequestHandler):
    """Texts in capitals are what it likes."""

    status, answer, seen = 200, "", list[Any]()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Shouting.seen.append((self.path, self.headers.get("Authorization"), asked))
        rows = [
            {"index": place, "relevance_score": sum(map(str.isupper, text)) / len(text)}
            for place, text in enumerate(asked["documents"])
        ]
        self.send_response(Shouting.status)
        self.end_headers()
        if Shouting.answer == "late":
            time.sleep(0.5)
        found = {"": {"results": rows[::-1]}, "late": {}, "short": {"results": rows[1:]}, "odd": [rows]}[
            Shouting.answer
        ]
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Shouting.status, Shouting.answer = 200, ""
    Shouting.seen.clear()
    web = HTTPServer(("127.0.0.1", 0), Shouting)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{web.server_port}/v1"
    web.shutdown()
    web.server_close()


def test_a_server_says_how_well_each_text_answers(url: str) -> None:
    scores = HttpReranker(url, "m", "k").score("what", ["quiet", "LOUD", "Some"])
    assert scores[1] > scores[2] > scores[0]
    path, authorization, asked = Shouting.seen[0]
    assert (path, authorization, asked["model"], asked["top_n"]) == ("/v1/rerank", "Bearer k", "m", 3)


@pytest.mark.parametrize("status, answer", [(500, ""), (200, "short"), (200, "odd"), (200, "late")])
def test_bad_answers_are_one_error(url: str, status: int, answer: str) -> None:
    Shouting.status, Shouting.answer = status, answer
    with pytest.raises(StoreError, match="the reranker"):
        HttpReranker(url, timeout=0.2 if answer == "late" else 60).score("what", ["a", "b"])


def test_search_lets_it_read_the_best_hits_and_goes_on_without_it(url: str, tmp_path: Path) -> None:
    chosen = {"retrieval.reranker": "http", "retrieval.reranker_url": url, "retrieval.reranked": 3}
    with Memory.open(tmp_path / "store", settings=chosen) as mem:
        mem.remember("The cache expires after an hour.")
        mem.remember("CACHE ENTRIES EXPIRE WHEN THE CLOCK OF THE SERVER STRIKES, SAYS THE OLD MANUAL OF THE TEAM.")
        mem.remember("Nobody knows why the cache is slow.")
        mem.remember("Tabs, not spaces.")
        mem.process()
        found = mem.search("when does the cache expire")
        assert found.hits[0].content.isupper() and found.hits[0].why["reranker"] > 0 and not found.degraded
        assert len(Shouting.seen[-1][2]["documents"]) == 3
        assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
        Shouting.status = 503
        found = mem.search("when does the cache expire")
        assert not found.hits[0].content.isupper() and found.degraded == {"reranker": "the reranker answered 503"}


@pytest.mark.parametrize(
    "settings, sentence",
    [
        ({"retrieval.reranker": "magic"}, "must be one of"),
        ({"retrieval.reranker": "http"}, "reranker_url"),
        ({"retrieval.reranker": "onnx", "retrieval.reranker_model": "/nowhere.onnx"}, "is not a file"),
    ],
)
def test_wrong_settings_are_one_sentence(tmp_path: Path, settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence), Memory.open(tmp_path / "store", settings=settings) as mem:
        mem.search("x")


@pytest.mark.parametrize(
    "kind, library", [(FastEmbedReranker, "fastembed"), (SentenceTransformerReranker, "sentence_transformers")]
)
def test_what_is_not_installed_is_said_in_one_sentence(kind: Any, library: str) -> None:
    if importlib.util.find_spec(library):
        pytest.skip(f"{library} is installed")
    with pytest.raises(UsageError, match="pip install"):
        kind("model").score("a", ["b"])


def test_a_cross_encoder_file_reads_question_and_text(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(
        models.WordLevel({"[PAD]": 0, "[UNK]": 1, "[SEP]": 2, "cache": 3, "slow": 4}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B:1 [SEP]:1", special_tokens=[("[SEP]", 2)]
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    make, kind = onnx.helper.make_node, onnx.TensorProto
    inputs = [
        onnx.helper.make_tensor_value_info(name, kind.INT64, ["b", "n"]) for name in ("input_ids", "token_type_ids")
    ]
    graph = onnx.helper.make_graph(  # the sum of the ids of the second text
        [
            make("Mul", ["input_ids", "token_type_ids"], ["second"]),
            make("Cast", ["second"], ["number"], to=kind.FLOAT),
            make("ReduceSum", ["number", "axis"], ["logits"], keepdims=1),
        ],
        "reranker",
        inputs,
        [onnx.helper.make_tensor_value_info("logits", kind.FLOAT, ["b", 1])],
        [onnx.helper.make_tensor("axis", kind.INT64, [1], [1])],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, str(tmp_path / "model.onnx"))
    found = OnnxReranker(str(tmp_path / "model.onnx")).score("cache slow", ["slow slow cache", "cache", ""] * 7)
    assert found == [13.0, 5.0, 2.0] * 7
