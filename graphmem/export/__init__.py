"""Exports the graph as GraphML, JSON-LD, Parquet, or Markdown. One module per format."""
