// Purpose: one turn, by its key
MATCH (t:Turn {id: $id}) RETURN t.id, t.sequence
