"""Writers of other programs' configurations: what `graphmem install --for NAME` adds and `uninstall` takes out again.
They touch nothing that is not ours."""
