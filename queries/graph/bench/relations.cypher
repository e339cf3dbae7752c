// Purpose: all relations between turns
MATCH (a:Turn)-[:NEXT]->(b:Turn) RETURN a.id, b.id
