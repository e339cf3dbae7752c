"""The functions that run requests, one module per subject. Each is loaded when its first request runs in this process."""
