"""Passwords that are plain words: told in a sentence, or given behind an option; and sentences that tell none."""

from __future__ import annotations

import pytest

from graphmem.privacy import filter_text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("My password is hunter", "hunter"),
        ("For now the password for staging is swordfish.", "swordfish"),
        ("The wifi password was correcthorse! Change it.", "correcthorse"),
        ("the root password is still dolphin\nDo not tell.", "dolphin"),
        ("mysql --password hunter -u root", "hunter"),
        ("then run `deploy --password swordfish`", "swordfish"),
        ("curl --password correcthorse https://example.org/x", "correcthorse"),
        ("backup --password dolphin /srv/data && echo done", "dolphin"),
        ("비밀번호는 dolphin 입니다", "dolphin"),
    ],
)
def test_a_plain_word_that_is_a_password_goes(text: str, secret: str) -> None:
    told = filter_text(text).text
    assert secret not in told and "[REDACTED:password]" in told


@pytest.mark.parametrize(
    "text",
    [
        "The password is required.",
        "the password is stored in the vault",
        "Your password is too short",
        "The password is garbage.",
        "I think the password is lost",
        "The password is plaintext here.",
        "the secret is patience.",
        "the key is understanding",
        "password is checked twice, then hashed",
        "The password is part of the address.",
        "--password is deprecated",
        "use --password to set it",
        "use the option --password instead",
        "It reads the --password option",
        "--password file",
        "mysql --password PASSWORD -u root",
        "mysql --password password -u root",
        "mysql --password-file path -u root",
        "See --password below",
        "비밀번호는 필수 입니다",
        "비밀번호는 암호화됩니다",
    ],
)
def test_sentences_about_passwords_stay(text: str) -> None:
    assert filter_text(text).text == text
