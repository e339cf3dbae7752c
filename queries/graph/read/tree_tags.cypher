// Purpose: tags of the memory tree, the most frequent first
// Parameters: project=""
// Columns: tag, memories
MATCH (m:Memory)-[:TAGGED]->(t:Tag) WHERE $project = '' OR m.project = $project RETURN t.name AS tag, count(*) AS memories ORDER BY memories DESC, tag
