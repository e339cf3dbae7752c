"""Imports external data: reads sources, captures terminal output, watches folders."""
