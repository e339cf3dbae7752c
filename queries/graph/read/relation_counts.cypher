// Purpose: how many relations of each type there are
// Parameters: none
// Columns: type, count
MATCH ()-[r]->() RETURN label(r) AS type, count(*) AS count
