// Purpose: summaries of sessions, newest first
// Parameters: limit=20
// Columns: session, title, content, at
MATCH (x:Summary)-[:SUMMARIZES]->(s:Session) RETURN s.ref AS session, x.title AS title, x.content AS content, x.at AS at ORDER BY at DESC LIMIT $limit
