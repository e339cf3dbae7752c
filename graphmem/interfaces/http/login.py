"""Pages for browsers without a session: a login form, and a page with the reason for a rejected request. They are
self-contained, because the viewer's files need a session."""

from __future__ import annotations

import base64
import hashlib
from html import escape

from graphmem.interfaces.languages import translate_text

LOGIN, LOGOUT = "/login", "/logout"
FIELD = "key"
_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:12vh auto;padding:0 1rem}"
    "input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;margin:.3rem 0 1rem}"
    "input[type=radio]{width:auto;margin:.3rem}"
    "button,.go{font:inherit;padding:.5rem 1.2rem}.why{color:#c92a2a}code{font-size:.9em}"
)
_SUBMIT = "document.forms[0].submit()"


def _source(text: str) -> str:
    """Return the hash of an inline script or style for the content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; img-src data:; style-src {_source(_STYLE)}; script-src {_source(_SUBMIT)}; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)


HINT = "`graphmem serve` prints a one-time login link; `graphmem token new` creates a token."


def login_page(language: str, why: str = "", key: str = "", *, hint: str = HINT, provider: str = "") -> bytes:
    """Return the login page. With a key from a link, the form submits itself: the GET request alone must not change
    anything. `provider` is the address where a login with an identity provider starts."""
    t = translate_text
    body = f'<p class="why" role="alert">{escape(t(language, why))}</p>' if why else ""
    body += (
        f'<form method="post" action="{LOGIN}"><label>{escape(t(language, "Key or token"))}'
        f'<input name="{FIELD}" type="password" autocomplete="off" required value="{escape(key)}"></label>'
        f"<button>{escape(t(language, 'Log in'))}</button></form>"
    )
    if provider:
        body += (
            f'<p><a class="go" href="{escape(provider)}">{escape(t(language, "Log in with your organisation"))}</a></p>'
        )
    body += f"<p><small>{_code(t(language, hint))}</small></p>"
    if key:
        body += f"<script>{_SUBMIT}</script>"
    return _page(language, t(language, "Log in to graphmem"), body)


def refusal_page(language: str, why: str, target: str = "") -> bytes:
    """Return a page with the reason for a rejected request. `target` is the link to continue with, or ""."""
    body = f"<p>{_code(translate_text(language, why))}</p>"
    if target:
        link = escape(target)
        body += (
            f'<p><a class="go" href="{link}">{escape(translate_text(language, "Open it"))}</a> <code>{link}</code></p>'
        )
    return _page(language, "graphmem", body)


def choice_page(language: str, form: str) -> bytes:
    """Return the page on which a user of a shared server chooses a project. `form` is markup."""
    return _page(language, translate_text(language, "Choose a project"), form)


def _code(text: str) -> str:
    """Escape a text and format what is in backquotes as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def _page(language: str, title: str, body: str) -> bytes:
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style><main><h1>{escape(title)}</h1>{body}</main></html>"
    ).encode("utf-8", "replace")
