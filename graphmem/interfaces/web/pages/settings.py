"""The settings page: each setting with description, default and allowed values. Changes are written to the store's
file."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import attributes, button, chip, div, heading, panel, text, with_error_message
from graphmem.interfaces.web.view import View
from graphmem.settings import SettingEntry
from graphmem.settings_file import FILE_NAME


@with_error_message
async def page(view: View, at: str = "") -> None:
    """Show the settings, from a section on."""
    entries = await view.run(lambda memory: memory.config())
    changes: dict[str, Any] = {}
    fields: dict[str, Any] = {}

    async def save() -> None:
        if wrong := [entry for entry, field in fields.items() if getattr(field, "error", None)]:
            ui.notify(view.t("Not saved: see {name}.", name=wrong[0]), type="warning")
            return
        if not changes:
            ui.notify(view.t("Nothing was changed."))
            return
        if await view.attempt(view.run(lambda memory: memory.configure(dict(changes)))) is not None:
            changes.clear()
            ui.notify(view.t("Saved. Restart the server to apply the change."), type="positive")

    hint = view.t(
        "Changes are saved to {file} and apply when the store is next opened.",
        file=str(view.lanes.location / FILE_NAME),
    )
    with heading(view.t("Settings"), hint):
        button(view.t("Save"), save, "save", "main")
    with div("gm-columns"):
        for section in dict.fromkeys(entry.key.partition(".")[0] for entry in entries):
            with panel(view.t(section)) as place:
                attributes(place, id=f"section-{section}")
                for entry in entries:
                    if entry.key.startswith(section + "."):
                        fields[entry.key] = _entry(view, entry, changes)
    if at:
        ui.run_javascript(f"graphmem.reveal({'section-' + at!r})")


def _entry(view: View, entry: SettingEntry, changes: dict[str, Any]) -> Any:
    """Show a setting; return its field."""

    def change(value: Any) -> None:
        changes[entry.key] = None if value in ("", None) and entry.kind != "text" else value

    with div("gm-line gm-setting"):
        with div("grow"):
            text(entry.key.partition(".")[2].replace("_", " "), "gm-setting-name")
            text(view.t(entry.help).replace("`", ""), "gm-soft")
            text(_hint(view, entry), "gm-time")
        if entry.value != entry.default:
            chip(view.t("changed"), "suggested")
        field = _field(view, entry, change)
        return field.props(f'dense borderless aria-label="{entry.key}"')


def _field(view: View, entry: SettingEntry, change: Any) -> Any:
    if entry.kind == "truth":
        return ui.switch(value=bool(entry.value), on_change=lambda event: change(event.value))
    if entry.choices:
        chosen = ui.select(list(entry.choices), value=entry.value, on_change=lambda event: change(event.value))
        return chosen.props("options-dense").classes("gm-field").style("width:210px")
    if entry.kind == "text":
        return (
            ui.input(value=entry.value, on_change=lambda event: change(event.value))
            .classes("gm-field")
            .style("width:210px")
        )
    whole = entry.kind == "whole"

    def number(value: Any) -> None:
        change(int(value) if whole and value is not None and value == int(value) else value)

    def problem(value: float | None) -> str | None:
        if value is not None and entry.least is not None and value < entry.least:
            return view.t("must be at least {value}", value=f"{entry.least:g}")
        return view.t("must be a whole number") if whole and value is not None and value != int(value) else None

    # Without `min`: the field would silently change what was typed.
    field = ui.number(
        value=entry.value, step=1 if whole else None, validation=problem, on_change=lambda event: number(event.value)
    )
    return field.classes("gm-field").style("width:210px")


def _hint(view: View, entry: SettingEntry) -> str:
    default = view.t("default {value}", value=entry.default if entry.default != "" else "—")
    least = view.t(", at least {value}", value=f"{entry.least:g}") if entry.least is not None else ""
    return default + least
