"""The viewer: pages over the same memory that the API serves, drawn by NiceGUI, whose assets come with its wheel. It holds no
verb; what a page does, a command can do."""
