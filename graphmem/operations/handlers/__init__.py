"""The functions that run requests, one module a subject. Each is loaded when the first of its requests runs in this process."""
