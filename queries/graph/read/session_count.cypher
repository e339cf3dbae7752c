// Purpose: how many sessions there are
// Parameters: none
// Columns: sessions
MATCH (s:Session) RETURN count(*) AS sessions
