"""Benchmarks, one file a suite."""
