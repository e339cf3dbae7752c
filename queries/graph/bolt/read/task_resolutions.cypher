// Differs: `labels(n)[0]`.
MATCH (c:Condition)-[e:RESOLVES_TO]->(x) RETURN c.id AS condition, c.title AS words, labels(x)[0] AS kind, x.id AS target, x.title AS target_title, e.resolution AS resolution, e.confidence AS confidence ORDER BY condition, target
