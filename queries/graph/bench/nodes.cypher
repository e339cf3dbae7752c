// Purpose: all turns
MATCH (t:Turn) RETURN t.id, t.sequence, t.content
