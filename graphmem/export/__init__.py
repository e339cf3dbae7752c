"""The graph in the forms of other programs: GraphML, JSON-LD, Parquet, and Markdown for people. One file a form."""
