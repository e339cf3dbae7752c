"""The parts of `Memory`: one service per subject, each a thin layer over operations and reads."""
