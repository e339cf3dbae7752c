// Purpose: the positions of the projections, and whose graph this is. Parameters: none.
MATCH (c:Cursor) WHERE c.body IS NULL RETURN c.id AS id, c.position AS position
