"""Formats tool answers: text for a model, with citations and a hint at the next step, within a token budget. Recalled
text is fenced and labelled as data. Nothing here accesses the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from graphmem.interfaces.envelope import to_json_values
from graphmem.interfaces.mcp.withholding import is_screened, remove_withheld, screened_text
from graphmem.interfaces.text import lists
from graphmem.interfaces.text.code import calls_text, impact_text
from graphmem.interfaces.text.history import commit_line, commits_end
from graphmem.interfaces.text.tree import form_of
from graphmem.interfaces.verbs.several import Several
from graphmem.memory import Memory
from graphmem.model.answers import Calls, ImpactReport
from graphmem.model.results import Answer, Detail, SearchResult, TimelineEntry
from graphmem.model.table import Table
from graphmem.plurals import counted
from graphmem.text.recall import fence_recalled
from graphmem.text.tokens import count_tokens, truncate_tokens

BUDGET = 2_000  # tokens of an answer
_MAX_FULL_TEXT_TOKENS = 6_000  # tokens of an answer with explicitly requested full text
_CUT = "\n[truncated: request less, or one item at a time]"
_RESERVE = 40  # tokens of fence and label


def reply_to_agent(mem: Memory, verb: str, result: Any, budget: int | None = None, note: str = "") -> str:
    """Return the answer to a verb for an agent: without withheld content, which is counted."""
    shown, withheld = remove_withheld(mem, verb, result)
    return "\n".join(filter(None, (format_answer(verb, shown, budget), withheld, note)))


def format_answer(verb: str, result: Any, budget: int | None = None) -> str:
    """Format the result of a verb as text of at most `budget` tokens."""
    limit = budget or (_MAX_FULL_TEXT_TOKENS if verb in ("details", "cypher", "tree read", "code source") else BUDGET)
    recalled, hint = _form(verb, result)(result)
    if not is_screened(verb, result):
        recalled, withheld = screened_text(recalled)
        hint = "\n".join(filter(None, (hint, withheld)))
    room = max(0, limit - count_tokens(hint) - _RESERVE)
    if count_tokens(recalled) > room:
        recalled = truncate_tokens(recalled, max(0, room - count_tokens(_CUT))) + _CUT
    return "\n".join(part for part in (fence_recalled(recalled) if recalled else "", hint) if part)


def _search(result: SearchResult) -> tuple[str, str]:
    without = [f"(without {channel}: {reason})" for channel, reason in result.degraded.items()]
    if not result.shown:
        return "", " ".join([result.nothing, *without])
    lines = []
    for number, hit in enumerate(result.shown, 1):
        place = f" ({hit.place})" if hit.place else ""
        place += f" ({hit.visibility})" if hit.visibility else ""
        lines.append(
            f"{number}. {hit.citation} {hit.kind} {hit.probability:.2f} {hit.at:%Y-%m-%d} {hit.summary}{place}"
        )
        if hit.is_answer:
            lines += ["   " + line for line in hit.passage.split("\n")[1:]]
        elif number <= 3:
            lines += [f"   {hit.excerpt}"] if hit.excerpt not in ("", hit.summary) else []
    lines += without
    hint = {
        "high": "The first hit very probably answers the query.",
        "suggested": "The first hits may answer the query: verify before you rely on them.",
        "none": "No hit is certain: treat all as hints.",
    }[result.confidence]
    return "\n".join(lines), f"{hint} Next: `details` or `timeline` with ids such as {result.shown[0].citation}."


def _timeline(entries: list[TimelineEntry]) -> tuple[str, str]:
    if not entries:
        return "", "Unknown ids. Use ids from `search`."
    lines, session = [], None
    for entry in entries:
        if entry.session != session:
            session = entry.session
            lines.append(f"session {session or '-'}")
        mark = "→" if entry.is_target else " "
        lines.append(f"{mark} {entry.citation} {entry.at:%Y-%m-%d %H:%M} {entry.role or entry.kind}: {entry.preview}")
    return "\n".join(lines), "→ marks the requested items. Next: `details` for the full text."


def _details(items: list[Detail]) -> tuple[str, str]:
    if not items:
        return "", "Unknown ids. Use ids from `search`."
    blocks = []
    for item in items:
        head = f"{item.citation} {item.kind} {item.at:%Y-%m-%d %H:%M} {item.title}".rstrip()
        facts = {"session": item.session, "files": ", ".join(item.files), "tags": ", ".join(item.tags),
                 "related": " ".join(item.related)}  # fmt: skip
        about = "; ".join(f"{name}: {value}" for name, value in facts.items() if value)
        blocks.append("\n".join(part for part in (head, about, item.content) if part))
    return "\n---\n".join(blocks), "Cite what you use, for example " + items[0].citation + "."


def _history(result: Any) -> tuple[str, str]:
    """Format commits as a line each; hunks in their own form."""
    if not isinstance(result, Table):
        return _form("", result)(result)
    return "\n".join(map(commit_line, result.rows)), f"{commits_end(result)}."


def _table(table: Table) -> tuple[str, str]:
    lines = [" | ".join(table.columns), *(" | ".join(map(format_cell, row)) for row in table.rows)]
    count = f"{len(table.rows)} row{'' if len(table.rows) == 1 else 's'}"
    return "\n".join(lines), f"{count}, truncated at the limit: narrow the query." if table.truncated else f"{count}."


def format_cell(value: Any) -> str:
    """Return a table value as one line."""
    if isinstance(value, Mapping):
        if "_label" in value:
            said = ("content",) if value["_label"] == "Fact" else ()
            naming = ("title", *said, "qualified_name", "name", "subject", "id")
            name = next((value[key] for key in naming if value.get(key)), "")
            return f"({value['_label']} {name})"
        return json.dumps(to_json_values(value), ensure_ascii=False, default=str)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, list):
        return ", ".join(map(format_cell, value))
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= 300 else text[:299] + "…"


def _tasks(tasks: Iterable[Any]) -> tuple[str, str]:
    lines = []
    for row in tasks:
        task = getattr(row, "task", row)
        line = f"{task.name} [{task.status}, {task.priority}] {task.title}"
        blockers = getattr(row, "blockers", None)
        lines.append(f"{line} ← {'; '.join(blocker.title for blocker in blockers)}" if blockers else line)
    hint = "Next: `tasks` with action claim or update." if lines else "None."
    return "\n".join(lines), hint


def _task(task: Any) -> tuple[str, str]:
    lines = [f"{task.name} [{task.status}, {task.priority}] {task.title}"]
    lines += [f"description: {task.description}"] if task.description else []
    lines += [f"waits for: {'; '.join(b.text or b.id for b in task.blocked_by)}"] if task.blocked_by else []
    lines += [f"refused: {task.rejected}"] if task.rejected else []
    return "\n".join(lines), ""


def _stats(stats: Mapping[str, Any]) -> tuple[str, str]:
    counts = ", ".join(f"{label} {count:,}" for label, count in stats.get("nodes", {}).items() if count)
    relations = ", ".join(f"{name} {count:,}" for name, count in stats.get("relations", {}).items() if count)
    waiting = counted(stats.get("waiting_for_vectors", 0), "text waits", "texts wait") + " for vectors"
    head = f"project {stats.get('project')}: {counted(stats.get('events', 0), 'event')}, {waiting}"
    hidden = stats.get("privacy", {})
    if hidden.get("events"):
        secrets = ", ".join(f"{kind} {count:,}" for kind, count in hidden["secrets"].items()) or "none"
        head += (
            f"\nwithheld from {counted(hidden['events'], 'event')}: {counted(hidden['sections'], 'private section')}"
        )
        head += f"; secrets: {secrets}"
    return f"{head}\nnodes: {counts}\nrelations: {relations}", "Next: `search`, or `schema` before you write Cypher."


def _schema(schema: Mapping[str, Any]) -> tuple[str, str]:
    nodes = [f"{label}({', '.join(columns)})" for label, columns in schema["nodes"].items()]
    relations = []
    for name, relation in schema["relations"].items():
        pairs = relation["pairs"]
        sources, targets = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
        properties = f" {{{', '.join(relation['properties'])}}}" if relation["properties"] else ""
        relations.append(f"({'|'.join(sources)})-[:{name}{properties}]->({'|'.join(targets)})")
    named = "named queries: " + ", ".join(query["name"] for query in schema["queries"])
    return "\n".join([*nodes, *relations, named]), "Next: `cypher`, read-only."


def _index(report: Any) -> tuple[str, str]:
    said = (
        f"{counted(report.files, 'file')}, {counted(report.lines, 'line')}: {counted(report.symbols, 'symbol')},"
        f" {counted(report.edges, 'relation')},"
        f" {counted(report.call_sites, 'call')} unresolved; {counted(report.changed, 'file')} read."
    )
    return "", said + " Next: `search` for a symbol."


def _written(result: Mapping[str, Any]) -> tuple[str, str]:
    return "", f"Saved as {result['id']}."


def _forgotten(report: Any) -> tuple[str, str]:
    return (
        "",
        f"Forgotten: {counted(report.events, 'event')}, {counted(report.nodes, 'node')}, {counted(report.items, 'item')}.",
    )


def _plain(result: Any) -> tuple[str, str]:
    if isinstance(result, str):
        return result, ""
    if isinstance(result, list) and all(hasattr(getattr(row, "task", row), "priority") for row in result):
        return _tasks(result)
    if hasattr(result, "priority") and hasattr(result, "blocked_by"):
        return _task(result)
    return json.dumps(_lean(to_json_values(result)), ensure_ascii=False, default=str), ""


def _lean(value: Any) -> Any:
    """Drop empty and internal fields, to save tokens."""
    if isinstance(value, dict):
        inner = {name: _lean(item) for name, item in value.items() if name == "_label" or not name.startswith("_")}
        return {name: item for name, item in inner.items() if item not in (None, "", [], {})}
    return [_lean(item) for item in value] if isinstance(value, list) else value


def _several(found: Several) -> tuple[str, str]:
    """Format answers one below the other: the closing sentence of each belongs to it."""
    blocks = []
    for each in found.answers:
        question = f"Q: {each.question}" if isinstance(each, Answer) else ""
        blocks.append("\n".join(filter(None, (question, *_form("", each)(each)))))
    return "\n\n".join(blocks), ""


def _form(verb: str, result: Any) -> Callable[[Any], tuple[str, str]]:
    by_kind = (form for kind, form in _KINDS.items() if isinstance(result, kind))
    return _FORMS.get(verb) or form_of(result) or lists.FORMS.get(type(result)) or next(by_kind, _plain)


_FORMS: dict[str, Callable[[Any], tuple[str, str]]] = {
    "search": _search,
    "timeline": _timeline,
    "details": _details,
    "stats": _stats,
    "schema": _schema,
    "code history": _history,
    "index": _index,
    "remember": _written,
    "forget": _forgotten,
}
_KINDS: dict[type, Callable[[Any], tuple[str, str]]] = {
    Table: _table,
    Calls: calls_text,
    ImpactReport: impact_text,
    Several: _several,
}
