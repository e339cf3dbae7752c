// Differs: `type(r)`.
MATCH (a)-[r]->(b) RETURN type(r), collect([a.id, b.id])
