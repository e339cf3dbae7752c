// Purpose: what endless mode consolidated, and summaries of sessions, newest first
// Parameters: project="", limit=50
// Columns: id, kind, title, content, confidence, at, sources
MATCH (s:Summary) WHERE s.kind IN ['consolidated', 'session'] AND ($project = '' OR s.project = $project) OPTIONAL MATCH (s)-[:SUMMARIZES]->(t:Turn) RETURN s.id AS id, s.kind AS kind, s.title AS title, s.content AS content, s.confidence AS confidence, s.at AS at, coalesce(collect(t.id), []) AS sources ORDER BY at DESC, id DESC LIMIT $limit
