"""The treemap of a repository: each file with the area of its lines, coloured by how often it changed or how often it failed. The
same figures are a table for those who cannot see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from graphmem.interfaces.web.parts import choices, panel
from graphmem.interfaces.web.tables import Cell, LinkedCell, chart
from graphmem.interfaces.web.view import View, address
from graphmem.memory import Memory
from graphmem.model.code import FileRecord

COLOURS = {"churn": "Commits", "trouble": "Gotchas"}
_LISTED = 60  # files of the table
_SHADES = {"churn": ((226, 232, 255), (110, 138, 248)), "trouble": ((233, 236, 239), (255, 120, 120))}  # none, most


class FileWeight(NamedTuple):
    """A file with its lines, the commits that touched it, and the gotchas about it."""

    path: str
    lines: int
    churn: int
    trouble: int


def read_weights(memory: Memory, files: Sequence[FileRecord]) -> list[FileWeight]:
    """Return the weights of the indexed files, the largest first."""
    churn = {path: count for path, count, _ in memory.query("churn_of_files").rows}
    trouble = dict(memory.query("trouble_of_files").rows)
    rows = [
        FileWeight(one.path, one.lines, int(churn.get(one.path, 0)), int(trouble.get(one.path, 0)))
        for one in files
        if one.lines
    ]
    return sorted(rows, key=lambda one: (-one.lines, one.path))


def nest(weights: Sequence[FileWeight], by: str) -> list[dict[str, Any]]:
    """Return folders and files as ECharts reads them, files with their lines as value and their colour."""
    most = max((getattr(one, by) for one in weights), default=0)
    root: dict[str, Any] = {}
    for one in weights:
        *folders, name = one.path.split("/")
        place = root
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = one
    return _children(root, lambda one: _shade(by, getattr(one, by), most))


def _children(place: Mapping[str, Any], shade: Callable[[FileWeight], str]) -> list[dict[str, Any]]:
    found = []
    for name, inner in place.items():
        if isinstance(inner, FileWeight):
            color = {"color": shade(inner)}
            found.append({"name": name, "path": inner.path, "value": inner.lines, "itemStyle": color})
        else:
            found.append({"name": name, "path": "", "children": _children(inner, shade)})
    return found


def _shade(by: str, value: int, most: int) -> str:
    """Return the colour of a value, on a scale of roots because few files change most."""
    none, full = _SHADES[by]
    share = math.sqrt(value / most) if most else 0.0
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in zip(none, full, strict=True))


def treemap_panel(view: View, weights: Sequence[FileWeight], by: str, choose: Callable[[str], Any]) -> None:
    """Show the treemap with the choice of its colour; a click on a file opens it."""
    with panel(view.t("The repository: the area is the lines of a file, the colour what is chosen")):
        choices([(name, view.t(label)) for name, label in COLOURS.items()], by, choose)
        label = view.t("Treemap of the files; the table below has the same figures")
        columns = [view.t(name) for name in ("File", "Lines", *COLOURS.values())]
        made = chart(view, _options(weights, by), label, columns, _rows(weights, by), "height:420px;margin-top:10px")
        made.on("chart:click", lambda event: _open(view, event.args), ["data"])


def _open(view: View, args: Mapping[str, Any]) -> None:
    path = (args.get("data") or {}).get("path")
    if path:
        view.go("/code", file=path)


def _options(weights: Sequence[FileWeight], by: str) -> dict[str, Any]:
    level = {"itemStyle": {"borderColor": "rgba(138,147,160,0.5)", "borderWidth": 1, "gapWidth": 1}}
    series = {
        "type": "treemap", "data": nest(weights, by), "roam": False, "nodeClick": False, "visibleMin": 200, "width": "100%",
        "height": "100%", "top": 0, "left": 0, "breadcrumb": {"show": False}, "animation": False,
        "label": {"show": True, "color": "#10151c", "fontSize": 11}, "upperLabel": {"show": True, "height": 18, "color": "#10151c",
        "fontSize": 11}, "levels": [{**level, "upperLabel": {"show": False}}, level, level, level],
    }  # fmt: skip
    return {"tooltip": {"renderMode": "richText", "formatter": "{b}: {c}"}, "series": [series]}


def _rows(weights: Sequence[FileWeight], by: str) -> list[list[Cell]]:
    ordered = sorted(weights, key=lambda one: (-getattr(one, by), -one.lines, one.path))[:_LISTED]
    return [
        [LinkedCell(one.path, address("/code", file=one.path)), one.lines, one.churn, one.trouble] for one in ordered
    ]
