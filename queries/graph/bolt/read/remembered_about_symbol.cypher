// Differs: `labels(n)[0]`.
MATCH (n:Fact)-[:ABOUT]->(s:Symbol) WHERE s.qualified_name = $name RETURN n.id AS id, labels(n)[0] AS label, n.title AS title, n.content AS content, n.at AS at
UNION ALL MATCH (n:Gotcha)-[:ABOUT]->(s:Symbol) WHERE s.qualified_name = $name RETURN n.id AS id, labels(n)[0] AS label, n.title AS title, n.content AS content, n.at AS at
UNION ALL MATCH (n:Task)-[:ABOUT]->(s:Symbol) WHERE s.qualified_name = $name RETURN n.id AS id, labels(n)[0] AS label, n.title AS title, n.description AS content, n.created_at AS at
