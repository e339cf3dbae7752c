// Purpose: nodes that a name may mean: symbols, files, commits, tasks, sessions and entities (rank 0 is exact)
// Parameters: name
// Columns: id, label, rank
MATCH (s:Symbol) WHERE s.qualified_name = $name RETURN s.id AS id, label(s) AS label, 0 AS rank
UNION ALL MATCH (f:File) WHERE f.path = $name RETURN f.id AS id, label(f) AS label, 0 AS rank
UNION ALL MATCH (c:Commit) WHERE size($name) >= 7 AND starts_with(c.hash, $name) AND size(c.hash) = 40 RETURN c.id AS id, label(c) AS label, 0 AS rank
UNION ALL MATCH (t:Task) WHERE t.ref = $name OR t.title = $name RETURN t.id AS id, label(t) AS label, 0 AS rank
UNION ALL MATCH (x:Session) WHERE x.ref = $name RETURN x.id AS id, label(x) AS label, 0 AS rank
UNION ALL MATCH (s:Symbol) WHERE s.name = $name AND NOT s.external RETURN s.id AS id, label(s) AS label, 1 AS rank
UNION ALL MATCH (e:Entity) WHERE e.name = $name RETURN e.id AS id, label(e) AS label, 2 AS rank
