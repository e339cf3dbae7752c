// Purpose: which functions the commits touched whose message mentions a text
// Parameters: text
// Columns: function, file, commits, last
MATCH (c:Commit)-[:CHANGED]->(s:Symbol) WHERE (contains(lower(c.subject), lower($text)) OR contains(lower(c.body), lower($text))) AND s.kind IN ['function', 'method'] AND NOT starts_with(s.name, '<') RETURN s.qualified_name AS function, s.file AS file, count(*) AS commits, max(c.at) AS last ORDER BY commits DESC, function LIMIT 1000
