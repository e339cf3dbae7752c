"""Secrets never get from source code into what is kept of it, and the code stays what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.privacy import redact
from graphmem.privacy.blank import blanked

TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"


@given(st.text(max_size=300) | st.text(alphabet=f"=:\"' \n{TOKEN}한", max_size=200))
def test_length_and_lines_stay(text: str) -> None:
    source = f"{text}\nkey = '{TOKEN}'\n{text}".encode("utf-8", "surrogatepass")
    blank, clean = blanked(source)
    assert (
        len(blank) == len(source)
        and blank.count(b"\n") == source.count(b"\n")
        and TOKEN.encode() not in blank
        and not clean
    )


@pytest.mark.parametrize(
    "code",
    ["token = tokenizer2", "self.token = options.api_token2", "first_pass(todo=state2)", "password: str = field()"],
)
def test_names_are_no_secrets(code: str) -> None:
    assert blanked(code.encode()).source == code.encode()


@given(st.text(max_size=100) | st.sampled_from(["token = tokenizer2", "<private>a</private>", f"k = {TOKEN}"]))
def test_clean_is_what_a_reader_may_see(text: str) -> None:
    source = text.encode("utf-8", "surrogatepass")
    if blanked(source).clean:
        assert redact(text).text == text


def test_no_file_of_the_store_holds_a_secret_of_the_code(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(
        f'"""Uses {TOKEN}."""\nKEY = "{TOKEN}"\n# TODO: rotate {TOKEN}\n\ndef f(token="{TOKEN}"):\n'
        f'    return unknown("{TOKEN}").go(KEY)\n'
    )
    (tree / "b.js").write_text(f'const K = "{TOKEN}";\nfunction g(a = "{TOKEN}") {{ return nope("{TOKEN}"); }}\n')
    store = tmp_path / "store"
    with Memory.open(store, project="demo", settings={"embedding.provider": "none"}) as mem:
        mem.index_code(tree)
        mem.process()
        assert mem.cypher("MATCH (s:Symbol) WHERE s.name = 'f' RETURN s.line").rows == [[5]]
    assert not [file.name for file in store.iterdir() if file.is_file() and TOKEN.encode() in file.read_bytes()]
