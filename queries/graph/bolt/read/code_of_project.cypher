// Differs: `labels(n)[0]`.
MATCH (s:Symbol) WHERE s.project = $project RETURN s.id AS id, labels(s)[0] AS label
UNION ALL MATCH (c:CallSite) WHERE c.project = $project RETURN c.id AS id, labels(c)[0] AS label
