// Differs: `labels(n)[0]` and `type(r)`, `IN`.
MATCH (a)-[r]->(b) WHERE labels(a)[0] IN $labels AND labels(b)[0] IN $labels RETURN type(r), collect([a.id, b.id])
