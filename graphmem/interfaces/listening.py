"""The socket of a server: bound before the address is printed, so that a printed address can be connected to."""

from __future__ import annotations

import socket

from graphmem.errors import StoreError


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 is any free one. Raises StoreError if the address is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StoreError(
            f"{host}:{port} is not available ({reason.lower()}): choose another --port", port=port
        ) from error
    listener.listen(128)
    return listener
