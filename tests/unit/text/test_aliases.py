"""Other names of languages, packages and programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text.aliases import MAX_ALIASES, aliases, canonical_name, canonical_names, fold_name, name_variants


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("golang", "Go"),
        ("js", "JavaScript"),
        ("py", "Python"),
        ("c sharp", "C#"),
        ("cpp", "C++"),
        ("k8s", "Kubernetes"),
        ("postgres", "PostgreSQL"),
        ("cv2", "opencv-python"),
        ("sklearn", "scikit-learn"),
        ("bs4", "beautifulsoup4"),
        ("NodeJS", "Node.js"),
        ("node js", "Node.js"),
        ("ror", "Ruby on Rails"),
        ("파이썬", "Python"),
    ],
)
def test_the_usual_name(alias: str, name: str) -> None:
    assert canonical_name(alias) == name


def test_one_alias_may_mean_several_things() -> None:
    assert {"YAML", "PyYAML"} <= set(canonical_names("yaml"))


def test_what_no_table_knows() -> None:
    assert canonical_name("frobnicate9") is None
    assert aliases("frobnicate9") == ()
    assert canonical_names("") == ()


def test_aliases_lead_both_ways() -> None:
    assert "golang" in aliases("Go")
    assert "Go" in aliases("golang")
    assert "PyYAML" in aliases("yaml")
    assert "yaml" in aliases("PyYAML")


def test_a_name_is_no_alias_of_itself() -> None:
    for name in ("Go", "JavaScript", "yaml", "docker"):
        assert name.casefold() not in {a.casefold() for a in aliases(name)}
        assert len(aliases(name)) <= MAX_ALIASES


def test_names_that_differ_in_a_sign_that_matters_stay_apart() -> None:
    assert len({fold_name("C"), fold_name("C++"), fold_name("C#")}) == 3
    assert fold_name("scikit-learn") == fold_name("scikit_learn") == fold_name("Scikit Learn")


def test_likely_names_of_a_package() -> None:
    assert {"python-dateutil", "pydateutil"} <= set(name_variants("dateutil"))
    assert "date-util" in name_variants("date_util")
    assert name_variants("a b; drop") == ()


@given(st.text(max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    assert len(aliases(text)) <= MAX_ALIASES
    assert text not in name_variants(text)
    assert fold_name(fold_name(text)) == fold_name(text)
