"""Secrets in the patches of commits: each file of a patch is judged by itself."""

from __future__ import annotations

import pytest

from graphmem.privacy import redact

CODE = "diff --git a/app.py b/app.py\n+++ b/app.py\n@@ -0,0 +1,3 @@\n+def call():\n+    token = access_token\n+    return token\n"


def patch(path: str, *lines: str) -> str:
    added = "".join(f"+{line}\n" for line in lines)
    return f"diff --git a/{path} b/{path}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{added}"


@pytest.mark.parametrize("path", [".env", "deploy/.env.production", "prod.env", "app.properties", "infra/main.tfvars"])
@pytest.mark.parametrize("value", ["vHWmhjaLMWru", "zqpzccemobtjbhsx", "Correctvgfcl", "5212671734", "rFRZt(9geDt"])
def test_in_a_file_of_values_the_name_is_enough(path: str, value: str) -> None:
    for text in (CODE + patch(path, f"DB_PASSWORD={value}"), patch(path, f"DB_PASSWORD={value}") + CODE):
        hidden = redact(text).text
        assert value not in hidden and "token = access_token" in hidden


def test_configuration_beside_code_is_configuration() -> None:
    text = patch("k8s/secret.yaml", "apiVersion: v1", "password: rUCbxTnnCbwh") + CODE
    assert "rUCbxTnnCbwh" not in redact(text).text


@pytest.mark.parametrize("value", ["${DB_PASSWORD}", "changeme", "<your password>", ""])
def test_what_stands_for_a_value_stays(value: str) -> None:
    text = patch(".env.example", f"DB_PASSWORD={value}")
    assert redact(text).text == text


@pytest.mark.parametrize("told", ["パスワード: Xk3jd93k", "密码: Xk3jd93k", "redis-cli -a Xk3jd93k ping"])
def test_other_words_and_commands(told: str) -> None:
    assert "Xk3jd93k" not in redact(told).text
