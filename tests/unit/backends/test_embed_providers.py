"""Other providers: a real HTTP server that answers well and badly, and clear words for what is not installed."""

import importlib.util
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from graphmem import Memory
from graphmem.backends.embed.local import FastEmbedEmbedder, SentenceTransformerEmbedder
from graphmem.backends.embed.onnx import OnnxEmbedder
from graphmem.backends.embed.openai import OpenAIEmbedder
from graphmem.errors import StoreError, UsageError


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        status, broken, seen = 200, "", []

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            Handler.seen.append((self.path, self.headers.get("Authorization"), request))
            rows = [{"index": i, "embedding": [float(len(text)), 1.0, 2.0]} for i, text in enumerate(request["input"])]
            answer = {"": {"data": rows[::-1]}, "short": {"data": rows[:-1]}, "odd": {"vectors": rows}}[Handler.broken]
            self.send_response(Handler.status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_):
            pass

    web = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    Handler.url = f"http://127.0.0.1:{web.server_port}/v1"
    yield Handler
    web.shutdown()
    web.server_close()


def test_an_openai_compatible_server(server):
    embedder = OpenAIEmbedder(server.url, "m", "k")
    vectors = embedder.embed(["a", "bbb"])
    assert embedder.dimensions == 3 and embedder.name == "openai-m-3"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1) and vectors[1, 0] > vectors[0, 0]
    path, authorization, request = server.seen[0]
    assert (path, authorization, request["model"]) == ("/v1/embeddings", "Bearer k", "m")
    assert embedder.embed([]).shape[0] == 0


@pytest.mark.parametrize(
    "status, broken, retry",
    [(429, "", True), (503, "", True), (400, "", False), (200, "odd", False), (200, "short", True)],
)
def test_bad_answers_say_whether_to_try_again(server, status, broken, retry):
    server.status, server.broken = status, broken
    with pytest.raises(StoreError) as caught:
        OpenAIEmbedder(server.url, "m", dimensions=3).embed(["a", "b"])
    assert caught.value.data["retry"] is retry


def test_a_server_that_is_not_there():
    with pytest.raises(StoreError, match="cannot be reached"):
        OpenAIEmbedder("http://127.0.0.1:9", "m", dimensions=3).embed(["a"])


@pytest.mark.parametrize(
    "kind, library", [(FastEmbedEmbedder, "fastembed"), (SentenceTransformerEmbedder, "sentence_transformers")]
)
def test_what_is_not_installed_is_said_in_one_sentence(kind, library):
    if importlib.util.find_spec(library):
        pytest.skip(f"{library} is installed")
    with pytest.raises(UsageError, match="pip install"):
        kind("model").embed(["a"])


def test_a_missing_model_file_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere\.onnx"):
        OnnxEmbedder(str(tmp_path / "nowhere.onnx"), str(tmp_path / "t.json"))


def test_a_new_encoder_is_searched_when_it_has_read_everything(server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    new = {"embedding": {"provider": "openai", "url": server.url, "model": "m", "dimensions": 3}}
    with Memory.open(tmp_path / "store") as mem:
        mem.remember("The nightly job vacuums the database.")
        mem.process()
    server.seen.clear()
    with Memory.open(tmp_path / "store", settings=new) as mem:
        before = mem.search("cleaning of tables at night")
        assert before.hits and not before.degraded and not server.seen
        assert mem.process().embedded == 1
        server.seen.clear()
        assert mem.search("cleaning of tables at night").hits and server.seen
    server.seen.clear()
    with Memory.open(tmp_path / "store", settings=new) as mem:  # later items that wait change nothing
        mem.remember("The weekly job rotates the logs.")
        assert mem.search("rotation").hits and server.seen
