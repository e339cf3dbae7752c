// Purpose: conditions and what they turned out to be
// Parameters: none
// Columns: condition, words, kind, target, target_title, resolution, confidence
MATCH (c:Condition)-[e:RESOLVES_TO]->(x) RETURN c.id AS condition, c.title AS words, label(x) AS kind, x.id AS target, x.title AS target_title, e.resolution AS resolution, e.confidence AS confidence ORDER BY condition, target
