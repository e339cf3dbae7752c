"""Recording: redaction before every append, versions of events, replay."""
