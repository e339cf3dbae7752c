// Purpose: how many nodes of each label there are
// Parameters: none
// Columns: label, count
MATCH (n) RETURN label(n) AS label, count(*) AS count
