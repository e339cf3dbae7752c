"""Benchmarks, one module for each suite. A suite takes a folder of data or a count, measures the product as users run it,
and prints or returns rows of figures. `retrieval.py` has what the retrieval suites share; start there."""
