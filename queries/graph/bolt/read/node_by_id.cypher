// Differs: `labels(n)[0]`.
MATCH (n {id: $id}) RETURN n AS node, labels(n)[0] AS label
