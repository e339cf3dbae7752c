"""The client of a shared server: which store on this machine is connected to which project there, and sending what was
recorded. The log of the local store is the spool: nothing waits for the server."""
