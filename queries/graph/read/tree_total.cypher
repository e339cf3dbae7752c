// Purpose: how many memories the tree has
// Parameters: project=""
// Columns: total
MATCH (m:Memory) WHERE $project = '' OR m.project = $project RETURN count(*) AS total
