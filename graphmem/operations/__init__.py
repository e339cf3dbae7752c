"""Operations that run where the graph is: in this process, or in the owner of the store."""
