"""The parts of `Memory`: one service a subject, each a thin layer over operations and reads."""
