// Differs: `labels(n)[0]`, `STARTS WITH`.
MATCH (s:Symbol) WHERE s.qualified_name = $name RETURN s.id AS id, labels(s)[0] AS label, 0 AS rank
UNION ALL MATCH (f:File) WHERE f.path = $name RETURN f.id AS id, labels(f)[0] AS label, 0 AS rank
UNION ALL MATCH (c:Commit) WHERE size($name) >= 7 AND c.hash STARTS WITH $name AND size(c.hash) = 40 RETURN c.id AS id, labels(c)[0] AS label, 0 AS rank
UNION ALL MATCH (t:Task) WHERE t.ref = $name OR t.title = $name RETURN t.id AS id, labels(t)[0] AS label, 0 AS rank
UNION ALL MATCH (x:Session) WHERE x.ref = $name RETURN x.id AS id, labels(x)[0] AS label, 0 AS rank
UNION ALL MATCH (s:Symbol) WHERE s.name = $name AND NOT s.external RETURN s.id AS id, labels(s)[0] AS label, 1 AS rank
UNION ALL MATCH (e:Entity) WHERE e.name = $name RETURN e.id AS id, labels(e)[0] AS label, 2 AS rank
