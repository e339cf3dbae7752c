"""One module a page, each with a coroutine `page(view, ...)` whose other parameters come from the address."""
