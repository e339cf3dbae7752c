"""Keeps projections up to date with the log: process, flush, rebuild, merge, health reports."""
