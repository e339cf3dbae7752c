// Purpose: whether there is any node. Parameters: none.
MATCH (n) RETURN labels(n)[0] AS label LIMIT 1
