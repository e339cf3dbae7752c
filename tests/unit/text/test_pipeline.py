"""Loading of spaCy: once, lazily, with the right components, for several threads, and with a notice when missing."""

import subprocess
import sys
import threading
from importlib import metadata

import pytest

from graphmem.text import pipeline

needs_model = pytest.mark.skipif(pipeline._home() is None, reason="no English spaCy model is installed")


@needs_model
class TestWithModel:
    def test_what_was_let_go_is_made_again_and_finds_the_same(self) -> None:
        from graphmem.text.entities import extract_entities

        text = "Yesterday the release was approved by Margaret Hill in the harbour office."
        before, found = pipeline.load_pipeline(), extract_entities(text)
        pipeline.release_pipeline()
        assert pipeline.load_pipeline() is not before
        assert extract_entities(text) == found

    def test_loads_once_for_all(self) -> None:
        found = pipeline.load_pipeline()
        assert found is not None and found is pipeline.load_pipeline()
        assert {"tagger", "parser", "ner"} <= set(found.pipe_names)

    def test_its_command_line_is_imported_by_who_asks_for_it_alone(self) -> None:
        told = (
            "import sys; from graphmem.text import pipeline; pipeline.load_pipeline(); "
            "print(*sorted({'spacy.cli', 'typer', 'requests', 'httpx', 'weasel'} & sys.modules.keys())); "
            "import spacy; print(spacy.info(silent=True)['spacy_version'] == spacy.__version__); "
            "import spacy.cli; print(callable(spacy.cli.download))"
        )
        done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
        assert done.stdout.split("\n") == ["", "True", "True", ""]

    def test_the_parser_runs_only_where_it_is_wanted(self) -> None:
        texts = ["The server crashed."]
        for parser in (False, True):
            parsed = pipeline.run_pipeline(texts, lambda doc: doc.has_annotation("DEP"), parser=parser)
            assert parsed == [parser]

    def test_run_reads_each_text_in_order(self) -> None:
        texts = ["It works.", "", "They ran the tests."]
        tags = pipeline.run_pipeline(texts, lambda doc: [token.tag_ for token in doc])
        assert tags is not None
        assert [len(t) for t in tags] == [3, 0, 5]
        assert tags[0][0] == "PRP"

    def test_the_parser_finds_heads(self) -> None:
        subjects = pipeline.run_pipeline(
            ["The server crashed."], lambda doc: [t.text for t in doc if t.dep_ == "nsubj"], parser=True
        )
        assert subjects == [["server"]]

    def test_words_that_were_read_are_forgotten(self) -> None:
        nlp = pipeline.load_pipeline()
        assert nlp is not None
        pipeline.run_pipeline(["warm up"], len)
        before = len(nlp.vocab.strings)
        pipeline.run_pipeline([f"qwx{i}zz appears" for i in range(300)], len)
        assert len(nlp.vocab.strings) - before < 30

    def test_threads_share_it(self) -> None:
        results: list[object] = []
        work = [
            threading.Thread(target=lambda: results.append(pipeline.run_pipeline(["We ran it."] * 5, len)))
            for _ in range(4)
        ]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        assert results == [[4] * 5] * 4


def test_a_missing_model_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> list[object]:
        raise metadata.PackageNotFoundError(name)

    pipeline._home.cache_clear()
    monkeypatch.setattr(metadata, "files", nothing)
    try:
        assert pipeline.fresh_pipeline(parser=False) is None
    finally:
        monkeypatch.undo()
        pipeline._home.cache_clear()


def test_neither_the_import_nor_the_rules_load_spacy() -> None:
    program = (
        "import sys, graphmem.text.pipeline as p\n"
        "from graphmem.text.entities import extract_entities\n"
        "from graphmem.text.aliases import canonical_name\n"
        "extract_entities('Docker runs for Svetlana', linguistic=False); canonical_name('py'); p._home()\n"
        "sys.exit(any(m.split('.')[0] in ('spacy', 'numpy', 'thinc') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
