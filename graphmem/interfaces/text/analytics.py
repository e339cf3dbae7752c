"""Formats the figures of a project as text."""

from __future__ import annotations

from graphmem.model.analytics import Analytics, AreaKnowledge, Injected, RepeatedFailure
from graphmem.plurals import counted

Text = tuple[str, str]  # text, hint
_LISTED = 8
_LINE = 160  # characters
_MOMENTS = {
    "SessionStart": "session start", "UserPromptSubmit": "requests", "PreToolUse": "tool calls",
    "PostToolUse": "failures", "PostToolUseFailure": "failures", "SubagentStart": "subagents",
}  # fmt: skip


def analytics_text(found: Analytics) -> Text:
    """Return the figures as text, and how to act on them."""
    junk = found.junk
    lines = [
        *_injected(found.injected, found.days),
        "",
        *_failures(found.failures),
        "",
        *_areas(found.areas),
        "",
        f"May be junk: {junk.uncertain} uncertain, {junk.nearly_same} nearly the same, {junk.idle} injected often and never used;"
        f" {junk.withheld} withheld, {junk.archived} archived, {junk.marked_wrong} marked wrong.",
    ]
    hint = "Rate one: graphmem feedback ID wrong. In the browser: graphmem serve --open, Analytics."
    return "\n".join(lines), hint


def _injected(found: Injected, days: int) -> list[str]:
    if not found.texts:
        return [f"Hooks injected nothing in the last {days} days."]
    tokens, total = found.tokens, found.tokens.total
    lines = [
        f"Injected in {counted(days, 'day')}: {counted(found.texts, 'text')}, {counted(found.memories, 'memory')},"
        f" {counted(total, 'token')},"
        f" in {counted(found.sessions, 'session')}.",
        f"  tokens quoted or opened by agents: {_share(tokens.quoted, total)}; acted on: {_share(tokens.acted_on, total)};"
        f" with a memory marked wrong: {_share(tokens.wrong, total)}; no effect seen: {_share(tokens.unseen, total)}",
    ]
    lines += [
        f"  {_MOMENTS.get(moment, moment or 'other')}: {counted(texts, 'text')}, {counted(tokens, 'token')},"
        f" {counted(used, 'text')} quoted or acted on"
        for moment, (texts, tokens, used) in found.moments.items()
    ]
    lines += [
        f"  injected {counted(one.texts, 'time')}, never used: {_shorten(one.title)} [{one.id}]"
        for one in found.idle[:_LISTED]
    ]
    return [
        *lines,
        *(
            [f"  {counted(found.left_out, 'older session was', 'older sessions were')} not read."]
            if found.left_out
            else ()
        ),
    ]


def _share(part: int, total: int) -> str:
    return f"{part:,} ({part / max(1, total):.0%})"


def _failures(found: list[RepeatedFailure]) -> list[str]:
    if not found:
        return ["No failure came up twice."]
    lines = [f"Failures that came up more than once: {len(found)}."]
    for one in found[:_LISTED]:
        state = "resolved" if one.resolved else "open"
        lines.append(
            f"  {counted(one.recurrence, 'time')}, {state},"
            f" agents warned {counted(one.warned, 'time')}: {_shorten(one.title)} [{one.id}]"
        )
        lines += [f"    {_shorten(one.resolution)}"] if one.resolution else []
    return lines


def _shorten(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LINE else plain[: _LINE - 1] + "…"


def _areas(found: list[AreaKnowledge]) -> list[str]:
    if not found:
        return ["No files are known: run `graphmem init`."]
    width = max(len(one.area) for one in found)
    lines = ["Knowledge by area of the code (files, changes by commits, facts, gotchas):"]
    return lines + [
        f"  {one.area:{width}} {one.files:>6,} {one.changes:>8,} {one.facts:>6,} {one.gotchas:>6,}"
        + ("  often changed, nothing known" if one.is_gap else "")
        for one in found
    ]
