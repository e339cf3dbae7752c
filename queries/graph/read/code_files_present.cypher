// Purpose: the files of a project that are in an indexed tree
// Parameters: project
// Columns: id
MATCH (f:File) WHERE f.project = $project AND f.present = true RETURN f.id AS id
