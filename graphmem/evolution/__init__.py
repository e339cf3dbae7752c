"""Memory maintenance on request: run passes, rate, archive, supersede, schedule. The passes are in `memify`."""
