"""One module per page, each with a coroutine `page(view, ...)`. Further parameters come from the URL."""
