// Differs: `toLower`, `CONTAINS`, `STARTS WITH`.
MATCH (c:Commit)-[:CHANGED]->(s:Symbol) WHERE (toLower(c.subject) CONTAINS toLower($text) OR toLower(c.body) CONTAINS toLower($text)) AND s.kind IN ['function', 'method'] AND NOT s.name STARTS WITH '<' RETURN s.qualified_name AS function, s.file AS file, count(*) AS commits, max(c.at) AS last ORDER BY commits DESC, function LIMIT 1000
