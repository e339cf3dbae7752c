"""Operations that run where the graph is open: in this process, or in the owner of the store."""
