"""A variable of the environment is set as surely between lines of code as alone; what code does around it stays."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.privacy import redact
from graphmem.privacy.source_masking import mask_preserving_offsets

LETTERS = string.ascii_letters
VALUES = st.text(LETTERS + string.digits, min_size=12, max_size=30).filter(
    lambda value: any(c.isdigit() for c in value) and sum(c.isalpha() for c in value) > 5 and len(set(value)) > 6
)


@given(
    value=VALUES,
    before=st.sampled_from(("x = 1;\n", "Pwd=Zq9vK2mLx8Rt;\n", 'const password = "hunter-2-go";\n', "return 1\n")),
)
def test_an_environment_variable_among_code_is_redacted(value: str, before: str) -> None:
    assert value not in redact(f"{before}API_KEY={value}\n").text


@pytest.mark.parametrize(
    "line", ["API_KEY=config_key\n", "API_KEY = token2\n", "call(API_KEY=api_key2,\n", "SECRET=secret\n"]
)
def test_variables_of_code_stay(line: str) -> None:
    text = f"x = 1;\n{line}"
    assert redact(text).text == text


@pytest.mark.parametrize(
    "code",
    [
        'url = engine.render_as_string(hide_password=False).replace("+driver", "")',
        "rows = connect(password=None).cursor()",
        "set(password=null).then(x => 1)",
        "f(password=password).replace(",
    ],
)
def test_what_is_called_on_the_result_of_a_call_is_no_part_of_its_argument(code: str) -> None:
    assert redact(code).text == code
    assert mask_preserving_offsets(code.encode(), "python").source == code.encode()


def test_a_secret_argument_is_redacted_and_what_follows_stays() -> None:
    assert redact('login(password=hunter2Xq9).get("a")').text == 'login(password=[REDACTED:password]).get("a")'
