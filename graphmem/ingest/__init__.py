"""Recording from outside: sources that are read, terminal output that is captured, folders that are watched."""
