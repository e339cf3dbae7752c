// Purpose: relations that wait for a missing end. Parameters: none.
MATCH (c:Cursor) WHERE c.body IS NOT NULL RETURN c.id AS id, c.body AS body
