"""Universal Ctags: definitions only, the floor of indexing time."""
# apt: universal-ctags==5.9.0

PROGRAM = "ctags"
COMMANDS = (("-R", "-f", "/dev/null", "."),)
