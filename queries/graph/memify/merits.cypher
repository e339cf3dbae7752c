// Purpose: what the promotion of a memory asks for: its confidence, its content, and how many sources it rests on
// Parameters: ids
// Columns: id, kind, content, confidence, sources, explicit
UNWIND $ids AS x MATCH (n:Fact {id: x}) OPTIONAL MATCH (n)<-[e:EVIDENCE_OF]-(s) WHERE e.confidence >= 0.85
RETURN n.id AS id, n.kind AS kind, n.content AS content, n.confidence AS confidence, count(e) AS sources, n.kind = 'explicit' AS explicit
UNION ALL UNWIND $ids AS x MATCH (n:Skill {id: x}) OPTIONAL MATCH (n)-[e:DERIVED_FROM]->(s)
RETURN n.id AS id, 'skill' AS kind, n.content AS content, n.confidence AS confidence, count(e) AS sources, coalesce(n.ref, '') <> '' AS explicit
UNION ALL UNWIND $ids AS x MATCH (n:Pattern {id: x}) OPTIONAL MATCH (n)-[e:DERIVED_FROM]->(s)
RETURN n.id AS id, 'pattern' AS kind, n.content AS content, n.confidence AS confidence, count(e) AS sources, coalesce(n.ref, '') <> '' AS explicit
UNION ALL UNWIND $ids AS x MATCH (n:Gotcha {id: x}) OPTIONAL MATCH (n)-[e:DERIVED_FROM]->(s)
RETURN n.id AS id, 'gotcha' AS kind, n.content AS content, n.confidence AS confidence, count(e) AS sources, coalesce(n.ref, '') <> '' AS explicit
UNION ALL UNWIND $ids AS x MATCH (n:Summary {id: x}) OPTIONAL MATCH (n)-[e:DERIVED_FROM]->(s)
RETURN n.id AS id, 'summary' AS kind, n.content AS content, n.confidence AS confidence, count(e) AS sources, n.kind = 'explicit' AS explicit
