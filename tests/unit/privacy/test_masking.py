"""Masking of tool inputs and metadata, and the list of environment variables that may be kept."""

from __future__ import annotations

import pytest

from graphmem.privacy import allowed_environment, mask_values

VALUE = "k3Zx9" + "QmW7bRt5"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "DB_PASS",
        "apiKey",
        "api-key",
        "secret",
        "client_secret",
        "access_token",
        "token",
        "auth_token",
        "credentials",
        "Authorization",
        "privateKey",
        "비밀번호",
        "암호",
        "토큰",
        "passwd",
        "user.password",
        "AWS_SECRET_ACCESS_KEY",
    ],
)
def test_values_of_secret_names_are_masked(name: str) -> None:
    masked = mask_values({name: VALUE, "other": "kept"})
    assert VALUE not in str(masked)
    assert masked[name].startswith("[REDACTED:")
    assert masked["other"] == "kept"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tokens", 5),
        ("key", "Enter"),
        ("keys", ["ctrl", "c"]),
        ("file_key_path", "/a/b"),
        ("author", "kim2"),
        ("keyword", "x1y2"),
        ("token_count", 9),
        ("password", ""),
        ("password", None),
        ("password", True),
        ("password", "${DB_PASSWORD}"),
        ("secret_name", "reg1"),
        ("file_path", "/home/a/password.txt"),
        ("command", "git commit -m 'fix token refresh'"),
        ("sort_key", "a1b2c3d4e5f6a7b8"),
    ],
)
def test_harmless_values_are_kept(name: str, value: object) -> None:
    assert mask_values({name: value}) == {name: value}


def test_masking_is_recursive_and_copies() -> None:
    value = {"env": [{"DB_PASSWORD": VALUE}, ({"deep": {"token": VALUE}},)], "n": 1.5, "none": None}
    masked = mask_values(value)
    assert VALUE not in str(masked)
    assert isinstance(masked["env"][1], tuple)
    assert value["env"][0] == {"DB_PASSWORD": VALUE}  # type: ignore[index]


def test_lists_of_a_secret_name_are_masked() -> None:
    assert VALUE not in str(mask_values({"tokens": [VALUE, VALUE]}))


def test_commands_as_lists() -> None:
    assert mask_values(["tool", "--password", "hunter2x", "--verbose", "yes"]) == [
        "tool",
        "--password",
        "[REDACTED:password]",
        "--verbose",
        "yes",
    ]


def test_pairs_of_name_and_value() -> None:
    assert mask_values([{"name": "API_KEY", "value": VALUE}])[0]["value"] == "[REDACTED:api_key]"
    assert mask_values([{"name": "LOG_LEVEL", "value": "debug"}])[0]["value"] == "debug"


def test_numbers_are_masked_only_for_passwords() -> None:
    assert mask_values({"password": 123456, "token": 17}) == {"password": "[REDACTED:password]", "token": 17}


def test_strings_are_redacted_as_text() -> None:
    token = "gh" + "p_" + VALUE * 3
    masked = mask_values({"command": f"curl -H 'Authorization: Bearer {token}' https://host", token: 1})
    assert token not in str(masked)


def test_bottomless_data_is_cut() -> None:
    value: dict[str, object] = {}
    value["self"] = value
    assert "too_deep" in str(mask_values(value))


def test_only_listed_variables_are_kept_and_their_values_redacted() -> None:
    env = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "HOME": "/root",
        "AWS_SECRET_ACCESS_KEY": VALUE,
        "MY_VAR": "1",
        "OLDPWD": f"/x?token={VALUE}7",
    }
    kept = allowed_environment(env)
    assert list(kept) == ["HOME", "LC_ALL", "OLDPWD", "PATH"]
    assert VALUE not in str(kept)
