// Purpose: everything that was concluded rather than recorded, with the digest of its state
// Parameters: none
// Columns: label, id, metadata
MATCH (n:Gotcha:Summary:Pattern:Skill) WHERE n.metadata STARTS WITH '{"concluded": ' RETURN label(n) AS label, n.id AS id, n.metadata AS metadata
