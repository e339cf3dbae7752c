"""The meaning of time expressions: small immutable objects that anchor themselves to a reference time. The grammar
creates them; nothing here knows words or the current time."""
