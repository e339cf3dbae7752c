// Purpose: a property of all turns
MATCH (t:Turn) WHERE t.id <> $id RETURN count(*), sum(size(t.content))
