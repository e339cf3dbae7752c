"""Secrets never get from source code into what is kept of it, and the code stays what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import read_stored

from graphmem import Memory
from graphmem.codegraph.worker import parse_source
from graphmem.privacy import redact
from graphmem.privacy.source_masking import mask_preserving_offsets

TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"


@given(st.text(max_size=300) | st.text(alphabet=f"=:\"' \n{TOKEN}한", max_size=200))
def test_length_and_lines_stay(text: str) -> None:
    source = f"{text}\nkey = '{TOKEN}'\n{text}".encode("utf-8", "surrogatepass")
    blank, clean = mask_preserving_offsets(source)
    assert (
        len(blank) == len(source)
        and blank.count(b"\n") == source.count(b"\n")
        and TOKEN.encode() not in blank
        and not clean
    )


@pytest.mark.parametrize(
    "code",
    [
        "token = tokenizer2", "self.token = options.api_token2", "first_pass(todo=state2)", "password: str = field()",
        "auth = &smtp.Login{Username: s.Username, Password: s.Password}", "connect({ user, password: given.password2 })",
    ],
)  # fmt: skip
def test_names_are_no_secrets(code: str) -> None:
    assert mask_preserving_offsets(code.encode()).source == code.encode()


def test_brackets_around_a_secret_without_quotes_stay() -> None:
    source = b"package a\n\nfunc Open() { use(Login{Password: hunter2Xq9!vB7}) }\n\nfunc After() {}\n"
    masked = mask_preserving_offsets(source, "go").source
    assert (
        b"hunter2" not in masked
        and masked.count(b"}") == source.count(b"}")
        and masked.endswith(b"}) }\n\nfunc After() {}\n")
    )
    facts = parse_source("a.go", source.replace(b"hunter2Xq9!vB7", b"s.Password"), "go").facts
    assert facts is not None and facts.errors == 0 and {"Open", "After"} <= {symbol.name for symbol in facts.symbols}


@given(st.text(max_size=100) | st.sampled_from(["token = tokenizer2", "<private>a</private>", f"k = {TOKEN}"]))
def test_clean_is_what_a_reader_may_see(text: str) -> None:
    source = text.encode("utf-8", "surrogatepass")
    if mask_preserving_offsets(source).clean:
        assert redact(text).text == text


PRIVATE = {
    "a.py": (
        "# ",
        "",
        'HINT = "CANARY1 값"\ndef inner(x="CANARY2"):\n    """CANARY3"""\n    call_CANARY("CANARY4")\n# TODO: CANARY5\n',
    ),
    "b.js": ("// ", "", 'const HINT = "CANARY1";\nfunction inner(x = "CANARY2") { call_CANARY(); }\n'),
    "c.java": ("/* ", " */", 'class Inner { String CANARY = "CANARY1"; void go() { callCANARY(); } }\n'),
    "d.go": ("// ", "", 'const HINT = "CANARY1"\nfunc inner() { callCANARY("CANARY2") }\n'),
    "e.rb": ("# ", "", 'HINT = "CANARY1"\ndef inner(x = "CANARY2")\n  call_CANARY(x)\nend\n'),
}


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_section_is_no_part_of_the_code(name: str) -> None:
    opening, closing, hidden = PRIVATE[name]
    after = {"py": "def after(): pass\n", "js": "function after() {}\n", "java": "class after {}\n",
             "go": "func after() {}\n", "rb": "def after\nend\n"}[name.split(".")[1]]  # fmt: skip
    before = "package main\n" if name == "d.go" else ""
    source = f"{before}{opening}<private>{closing}\n{hidden}{opening}</private>{closing}\n{after}"
    blank, clean = mask_preserving_offsets(source.encode())
    assert len(blank) == len(source.encode()) and b"CANARY" not in blank and not clean
    facts = parse_source(
        name, source.encode(), {"a": "python", "b": "javascript", "c": "java", "d": "go", "e": "ruby"}[name[0]]
    ).facts
    assert facts is not None and facts.errors == 0 and "CANARY" not in str(facts) and "inner" not in str(facts).lower()
    (found,) = (symbol for symbol in facts.symbols if symbol.name == "after")
    assert source.split("\n")[found.line - 1] in after


def test_what_stands_around_a_private_body_stays() -> None:
    source = 'def f():\n    # <private reason="x">\n    return 1\n    # </private >\n\nclass After:\n    z = "<private>CANARY</private>"\n'
    facts = parse_source("a.py", source.encode(), "python").facts
    assert facts is not None and {"f", "After", "z"} <= {symbol.name for symbol in facts.symbols}
    assert "CANARY" not in str(facts)


def test_no_file_of_the_store_holds_a_secret_of_the_code(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(
        f'"""Uses {TOKEN}."""\nKEY = "{TOKEN}"\n# TODO: rotate {TOKEN}\n\ndef f(token="{TOKEN}"):\n'
        f'    return unknown("{TOKEN}").go(KEY)\n'
    )
    opening, closing, hidden = PRIVATE["a.py"]
    (tree / "c.py").write_text(f"{opening}<private>{closing}\n{hidden}{opening}</private>{closing}\n")
    (tree / "b.js").write_text(f'const K = "{TOKEN}";\nfunction g(a = "{TOKEN}") {{ return nope("{TOKEN}"); }}\n')
    store = tmp_path / "store"
    with Memory.open(store, project="demo", settings={"embedding.provider": "none"}) as mem:
        mem.index_code(tree)
        mem.process()
        assert mem.cypher("MATCH (s:Symbol) WHERE s.name = 'f' RETURN s.line").rows == [[5]]
    kept = {file.name: read_stored(file).lower() for file in store.iterdir() if file.is_file()}
    assert not [name for name, body in kept.items() if TOKEN.lower().encode() in body or b"canary" in body]
