"""ECharts options for charts, in colours readable on light and dark backgrounds. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

SOFT = "#8a93a0"
_GRID = "rgba(138,147,160,0.18)"
TONES = {
    "Turn": "#868e96", "Session": "#5c7cfa", "Fact": "#e8890c", "Document": "#1098ad", "Skill": "#7048e8", "Pattern": "#ae3ec9",
    "Gotcha": "#e03131", "Memory": "#845ef7", "Summary": "#0ca678", "Entity": "#d6336c", "Person": "#f76707", "Task": "#2f9e44",
    "Condition": "#f59f00", "Artifact": "#66a80f", "Commit": "#1c7ed6", "File": "#0c8599", "Symbol": "#4263eb",
    "CallSite": "#adb5bd", "Snapshot": "#c2255c", "TestRun": "#37b24d", "Category": "#9c36b5", "Tag": "#74b816",
    "Project": "#495057",
}  # fmt: skip
ROW = ("#4263eb", "#12b886", "#f59f00", "#e64980", "#7950f2", "#15aabf", "#82c91e", "#868e96")


def _axes(days: Sequence[str]) -> dict[str, Any]:
    label = {"color": SOFT, "fontSize": 11, "hideOverlap": True}
    return {
        "animation": False,
        "grid": {"left": 44, "right": 12, "top": 30, "bottom": 24},
        "tooltip": {"trigger": "axis", "renderMode": "richText", "axisPointer": {"type": "shadow"}},
        "xAxis": {"type": "category", "data": list(days), "axisLabel": label, "axisTick": {"show": False},
                  "axisLine": {"lineStyle": {"color": _GRID}}},
        "yAxis": {"type": "value", "minInterval": 1, "axisLabel": label, "splitLine": {"lineStyle": {"color": _GRID}}},
    }  # fmt: skip


def stacked(days: Sequence[str], series: Mapping[str, Sequence[int]], colours: Sequence[str] = ROW) -> dict[str, Any]:
    """Return a stacked bar chart by day, one colour per name."""
    legend = {
        "type": "scroll",
        "top": 0,
        "left": 0,
        "itemWidth": 10,
        "itemHeight": 10,
        "textStyle": {"color": SOFT, "fontSize": 11},
        "icon": "circle",
    }
    rows = [
        {"name": name, "type": "bar", "stack": "all", "data": list(values), "barMaxWidth": 18,
         "itemStyle": {"color": colours[at % len(colours)]}}
        for at, (name, values) in enumerate(series.items())
    ]  # fmt: skip
    return _axes(days) | {"legend": legend, "series": rows}


def growth(days: Sequence[str], values: Sequence[int]) -> dict[str, Any]:
    """Return a line chart of a cumulative count."""
    line = {"type": "line", "data": list(values), "showSymbol": False, "lineStyle": {"color": ROW[0], "width": 2},
            "areaStyle": {"color": ROW[0], "opacity": 0.08}}  # fmt: skip
    return _axes(days) | {"series": [line]} | {"grid": {"left": 52, "right": 12, "top": 12, "bottom": 24}}


def shares(pairs: Sequence[tuple[str, int]], shown: Callable[[str], str]) -> dict[str, Any]:
    """Return horizontal bars of labels of nodes, largest on top, on a logarithmic scale if the values differ widely. `shown`
    translates a label."""
    ordered = sorted(pairs, key=lambda pair: pair[1])
    most = ordered[-1][1] if ordered else 0
    data = [
        {"value": count, "itemStyle": {"color": TONES.get(name, ROW[0]), "borderRadius": 3}} for name, count in ordered
    ]
    return {
        "animation": False,
        "grid": {"left": 84, "right": 56, "top": 4, "bottom": 4},
        "tooltip": {"show": False},
        "xAxis": {"type": "log" if most > 1_000 else "value", "show": False, **({"min": 0.7} if most > 1_000 else {})},
        "yAxis": {"type": "category", "data": [shown(name) for name, _ in ordered], "axisTick": {"show": False},
                  "axisLine": {"show": False}, "axisLabel": {"color": SOFT, "fontSize": 12}},
        "series": [{"type": "bar", "data": data, "barMaxWidth": 12,
                    "label": {"show": True, "position": "right", "color": SOFT, "fontSize": 11}}],
    }  # fmt: skip
