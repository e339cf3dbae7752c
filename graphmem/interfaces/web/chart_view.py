"""The element that draws a chart."""

from __future__ import annotations

from nicegui import ui


class Chart(ui.echart, component="assets/chart.js"):
    """A chart with the options of ECharts, which may be removed at any moment."""
