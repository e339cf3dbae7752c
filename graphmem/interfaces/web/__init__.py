"""The viewer: NiceGUI pages over the same memory as the API, with all assets from its wheel. Everything a page does
is also possible with a command."""
