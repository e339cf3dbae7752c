"""Exchange formats of tasks: tracker exports, checklists, and a text file in git."""
