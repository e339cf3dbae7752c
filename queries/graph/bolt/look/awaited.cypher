// Differs: `labels(x)[0]`.
MATCH (t:Task)-[:BLOCKED_BY]->(b)-[:RESOLVES_TO*0..5]->(x) WHERE t.status IN ['blocked', 'pending'] RETURN t.id AS task, t.status AS status, labels(x)[0] AS kind, x.resolved AS resolved, x.status AS state
