// Purpose: files that are in an indexed tree
// Parameters: none
// Columns: path
MATCH (f:File) WHERE f.present = true RETURN DISTINCT f.path AS path ORDER BY path LIMIT 100000
