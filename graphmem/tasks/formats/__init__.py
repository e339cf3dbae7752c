"""Text formats of tasks: tracker exports, checklists, and our own file in git. Each module has `parse` (text to
`TaskRecord`s) and `render` (task book to text)."""
