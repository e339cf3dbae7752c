"""What time expressions mean: small immutable objects that anchor themselves to a reference time.
The grammar builds them and never sees a clock; nothing here knows words."""
