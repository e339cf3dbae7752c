"""Memory maintenance on request: runs passes, rates and archives items, marks facts as superseded, schedules runs. It
records decisions as events; the passes that read them are in `memify`."""
