// Differs: `labels(n)[0]`.
MATCH (s:Symbol) WHERE s.external = true RETURN s.id AS id, labels(s)[0] AS label
