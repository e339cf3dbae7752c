"""From a question to the memories that answer it: one pipeline of stages over ports, explained and calibrated."""
