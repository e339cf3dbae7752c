"""The AsyncAPI description of `/ws`: what a client may say, and what it is sent."""

from __future__ import annotations

from typing import Any

from graphmem.interfaces.http.live import CHANNELS
from graphmem.resources import VERSION

_CHANNEL = {"type": "string", "enum": list(CHANNELS)}
_EVENT = {
    "type": "object",
    "required": ["position", "id", "type", "at", "session", "project", "actor", "text"],
    "properties": {
        "position": {"type": "integer", "description": "position in the log"},
        "id": {"type": "string"}, "type": {"type": "string"}, "at": {"type": "string", "format": "date-time"},
        "session": {"type": "string"}, "project": {"type": "string"}, "actor": {"type": "string"}, "text": {"type": "string"},
        "gone": {"type": "array", "items": {"type": "string"}, "description": "ids that the event removed"},
    },
}  # fmt: skip


def describe_socket() -> dict[str, Any]:
    """Return the description, as AsyncAPI 3.0."""
    subscribe = {
        "type": "object", "required": ["subscribe"],
        "properties": {
            "subscribe": {"type": "array", "minItems": 1, "items": _CHANNEL},
            "session": {"type": "string", "description": "only events of this session"},
            "type": {"type": "string", "description": "only events of this type"},
            "since": {"type": "integer", "minimum": 0, "description": "send the events after this position first"},
        },
    }  # fmt: skip
    unsubscribe = {
        "type": "object", "required": ["unsubscribe"],
        "properties": {"unsubscribe": {"type": "array", "minItems": 1, "items": _CHANNEL}},
    }  # fmt: skip
    messages = {
        "subscribe": _message("Listen to channels", subscribe, {"subscribe": ["events"], "since": 4200}),
        "unsubscribe": _message("Stop listening", unsubscribe, {"unsubscribe": ["stats"]}),
        "subscribed": _message("The channels that are listened to now", _envelope("control", {
            "type": "object", "properties": {"subscribed": {"type": "array", "items": _CHANNEL}},
        })),
        "events": _message("Events of the log, oldest first; `meta.position` is where to go on after a lost connection", _envelope(
            "events", {"type": "array", "items": _EVENT}, position={"type": "integer"},
        )),
        "stats": _message("The number of events", _envelope("stats", {
            "type": "object", "properties": {"events": {"type": "integer"}},
        })),
        "outbox": _message("Texts that wait for vectors, and the position of each projection", _envelope("outbox", {
            "type": "object",
            "properties": {"head": {"type": "integer"}, "cursors": {"type": "object"}, "jobs": {"type": "object"}},
        })),
        "refused": _message("What was wrong with a message", {
            "type": "object", "properties": {"error": {"type": "object", "properties": {
                "code": {"type": "string"}, "message": {"type": "string"}, "data": {"type": "object"},
            }}},
        }),
    }  # fmt: skip
    said, sent = ("subscribe", "unsubscribe"), ("subscribed", "events", "stats", "outbox", "refused")
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "graphmem", "version": VERSION,
            "description": "Live updates of a memory. Connect with `Authorization: Bearer TOKEN`. At most ten clients are served;"
            " the eleventh is closed with 1013.",
        },
        "servers": {"local": {
            "host": "127.0.0.1:37777", "protocol": "ws", "security": [{"$ref": "#/components/securitySchemes/token"}],
        }},
        "channels": {"live": {"address": "/ws", "messages": {
            name: {"$ref": f"#/components/messages/{name}"} for name in messages
        }}},
        "operations": {
            "say": {"action": "receive", "channel": {"$ref": "#/channels/live"}, "messages": _references(said)},
            "hear": {"action": "send", "channel": {"$ref": "#/channels/live"}, "messages": _references(sent)},
        },
        "components": {"messages": messages, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }  # fmt: skip


def _message(summary: str, payload: dict[str, Any], example: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"summary": summary, "payload": payload, **({"examples": [{"payload": example}]} if example else {})}


def _envelope(channel: str, data: dict[str, Any], **meta: dict[str, Any]) -> dict[str, Any]:
    properties = {"channel": {"const": channel}, **meta}
    return {
        "type": "object", "required": ["data", "meta"],
        "properties": {"data": data, "meta": {"type": "object", "properties": properties}},
    }  # fmt: skip


def _references(names: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"$ref": f"#/channels/live/messages/{name}"} for name in names]
