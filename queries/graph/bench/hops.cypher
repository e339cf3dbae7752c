// Purpose: what follows a turn by two steps
MATCH (:Turn {id: $id})-[:NEXT]->(:Turn)-[:NEXT]->(t:Turn) RETURN t.id, t.content
