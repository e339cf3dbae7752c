"""Settings: where they come from, and that a wrong one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import settings
from graphmem.errors import UsageError


def test_later_sources_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.toml").write_text("[graph]\nbuffer_pool_mb = 100\nquery_rows = 5\n[privacy]\nstrict = true\n")
    monkeypatch.setenv("GRAPHMEM_GRAPH__BUFFER_POOL_MB", "128")
    monkeypatch.setenv("GRAPHMEM_OWNER__IDLE_S", "7")
    monkeypatch.setenv("GRAPHMEM_PRIVACY__ANONYMIZE", "yes")
    found = settings.load_settings(tmp_path, {"graph": {"query_rows": 6}, "embedding.provider": "none"})
    assert (found.graph.buffer_pool_mb, found.graph.query_rows, found.owner.idle_s) == (128, 6, 7.0)
    assert found.privacy.strict and found.privacy.anonymize and found.embedding.provider == "none"
    assert settings.load_settings() == settings.load_settings(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("given", "key"),
    [({"graph.engine": "other"}, "graph.engine"), ({"graph.buffer_pool_mb": 1}, "graph.buffer_pool_mb"), ({"nothing.x": 1}, "nothing"),
     ({"graph.nothing": 1}, "graph.nothing"), ({"graph.query_rows": 1.5}, "graph.query_rows"), ({"graph.query_rows": "x"}, "graph.query_rows"),
     ({"graph.query_rows": True}, "graph.query_rows"), ({"privacy.strict": "perhaps"}, "privacy.strict"), ({"graph": 3}, "graph"),
     ({"owner.idle_s": float("nan")}, "owner.idle_s"), ({"owner.idle_s": None}, "owner.idle_s")],
)  # fmt: skip
def test_a_wrong_setting_is_named(given: dict[str, object], key: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings.load_settings(None, given)
    assert caught.value.data["key"] == key and f"`{key}`" in caught.value.message


def test_a_setting_of_an_older_version_is_ignored_in_a_file_and_refused_in_a_change(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[ingest]\nfile_bytes = 5000\npatch_bytes = 7\n")
    assert settings.load_settings(tmp_path).ingest.patch_bytes == 7
    with pytest.raises(UsageError, match="unknown setting"):
        settings.save_settings(tmp_path, {"ingest.file_bytes": 1})


def test_a_renamed_setting_is_known_by_its_old_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[buffer]\nmost = 500\n\n[owner]\npoll_most_s = 7.5\n")
    found = settings.load_settings(tmp_path)
    assert (found.buffer.max_pending, found.owner.max_poll_s) == (500, 7.5)
    monkeypatch.setenv("GRAPHMEM_BUFFER__MAX_PENDING", "600")
    assert settings.load_settings(tmp_path).buffer.max_pending == 600
    assert settings.load_settings(tmp_path, {"buffer.most": 700}).buffer.max_pending == 700
    monkeypatch.delenv("GRAPHMEM_BUFFER__MAX_PENDING")
    assert settings.save_settings(tmp_path, {"buffer.max_pending": 800}).buffer.max_pending == 800
    assert settings.save_settings(tmp_path, {"owner.poll_most_s": 9.0}).owner.max_poll_s == 9.0
    assert "most" not in file.read_text() and "max_poll_s = 9.0" in file.read_text()


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    for text, line, why in (
        (b"[graph\n", 1, "not valid TOML"),
        (b"[graph]\nengine = kuzu\n", 2, "not valid TOML"),
        (b'[graph]\n# fine\nengine = "\xff"\n', 3, "UTF-8"),
        (b'[graph]\nquery_rows = 5\nengine = "cuckoo"\n', 3, "must be one of"),
        (b'[owner]\nidle_s = 5\n[graph]\nengin = "kuzu"\n', 4, "unknown setting"),
        (b"\ngraph = 3\n", 2, "expected a table"),
        (b"embedding = 3\n", 1, "expected a table"),
        (b"[owner]\nidle_s = 5\n[grph]\nengine = 1\n", 3, "unknown setting"),
    ):
        file.write_bytes(text)
        with pytest.raises(UsageError, match=why) as error:
            settings.load_settings(tmp_path)
        assert f"{file}, line {line}: " in str(error.value), error.value


def test_a_wrong_value_from_the_environment_names_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.toml").write_text("[graph]\nquery_rows = 5\n")
    monkeypatch.setenv("GRAPHMEM_GRAPH__QUERY_ROWS", "many")
    with pytest.raises(UsageError, match=r"^setting `graph.query_rows`: must be an integer"):
        settings.load_settings(tmp_path)


def test_every_setting_of_one_value_can_be_listed() -> None:
    from graphmem.settings import Settings, list_entries

    listed = {entry.key: entry for entry in list_entries(Settings())}
    assert listed["shared.enabled"].kind == "truth" and listed["shared.enabled"].value is False


def _copied(store: Path) -> None:
    store.joinpath("settings.toml").write_text(
        '[embedding]\nprovider = "openai"\nurl = "http://collector.example"\n'
        '[retrieval]\nreranker = "onnx"\nreranker_model = "/store/model.onnx"\nreranked = 7\n'
        '[model]\nprovider = "ollama"\nurl = "http://collector.example"\n[graph]\nquery_rows = 5\n'
    )


def test_a_store_from_elsewhere_sends_nothing_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _copied(tmp_path)
    found = settings.load_settings(tmp_path)
    assert (found.embedding.provider, found.retrieval.reranker, found.model.provider) == ("none", "none", "none")
    assert "collector" not in str(found) and "onnx" not in str(found)
    assert (found.graph.query_rows, found.retrieval.reranked) == (5, 7)  # what only this process notices applies
    unchosen = settings.find_unchosen(tmp_path)
    assert set(unchosen) == {
        "embedding.provider", "embedding.url", "retrieval.reranker", "retrieval.reranker_model",
        "model.provider", "model.url",
    }  # fmt: skip
    monkeypatch.setenv("GRAPHMEM_EMBEDDING__PROVIDER", "openai")  # the user's choice of a part is none of the place
    assert settings.load_settings(tmp_path).embedding.url == "https://api.openai.com/v1"


def test_what_the_user_sets_applies_and_what_another_file_says_does_not(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir(), other.mkdir()
    chosen = {"embedding.provider": "openai", "embedding.url": "http://127.0.0.1:9", "graph.query_rows": 6}
    assert settings.save_settings(own, chosen).embedding.url == "http://127.0.0.1:9"
    assert settings.find_unchosen(own) == ()
    _copied(other)
    settings.save_settings(other, {"graph.query_rows": 6})  # a change of another setting confirms nothing
    assert settings.load_settings(other).embedding.provider == "none"
    assert "embedding.url" in settings.find_unchosen(other)
    settings.save_settings(other, {"embedding.url": "http://collector.example"})
    assert settings.load_settings(other).embedding.url == "http://collector.example"
