// Differs: `labels(n)[0]`.
MATCH (n) RETURN labels(n)[0] AS label, count(*) AS count
