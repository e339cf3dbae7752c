"""Tables of figures, and charts with the same figures as a table for those who cannot see the chart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from nicegui import ui

from graphmem.interfaces.web.chart_view import Chart
from graphmem.interfaces.web.parts import div, text
from graphmem.interfaces.web.view import View


class LinkedCell(NamedTuple):
    """A cell that leads somewhere."""

    label: str
    href: str


Cell = str | int | LinkedCell


def data_table(label: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Create a table that can be scrolled by the keyboard. `label` says what it is about."""
    with div("gm-table").props(f'tabindex="0" role="region" aria-label="{label}"'), div(tag="table"):
        with div(tag="thead"), div(tag="tr"):
            for name in columns:
                with div(tag="th").props('scope="col"'):
                    text(name)
        with div(tag="tbody"):
            for row in rows:
                with div(tag="tr"):
                    for cell in row:
                        with div(tag="td"):
                            _cell(cell)


def _cell(cell: Cell) -> None:
    if isinstance(cell, LinkedCell):
        ui.link(cell.label, cell.href).classes("gm-linked")
    else:
        text(f"{cell:,}" if isinstance(cell, int) else cell)


def chart(
    view: View,
    options: dict[str, Any],
    label: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    style: str = "",
) -> Chart:
    """Create a chart, named by `label`, with a folded table of the same figures; return the chart."""
    made = Chart(options).classes("gm-chart").style(style)
    made.props(f'role="img" aria-label="{label}"')
    with div("gm-fold", "details"):
        with div("gm-summary", "summary"):
            text(view.t("The same as a table"), "gm-soft")
        data_table(label, columns, rows)
    return made
