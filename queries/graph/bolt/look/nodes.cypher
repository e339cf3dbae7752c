// Differs: `IN`.
MATCH (n:`$label`) WHERE n.id IN $$ids RETURN n
