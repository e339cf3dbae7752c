"""Recording: redaction before every append, event versions, the hook spool."""
