// Purpose: files that only forgotten events had named go. Parameters: none.
MATCH (f:File) WHERE f.present IS NULL AND NOT EXISTS { MATCH (f)-[]-() } DELETE f
