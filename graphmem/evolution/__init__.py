"""How memory evolves on request: run the passes, judge, archive, supersede, schedule. The passes are in `memify`."""
