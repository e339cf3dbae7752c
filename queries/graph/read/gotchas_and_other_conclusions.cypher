// Purpose: everything that was concluded rather than recorded, with the digest of its state
// Parameters: none
// Columns: label, id, metadata
MATCH (n:Gotcha) WHERE n.metadata STARTS WITH '{"concluded": ' RETURN 'Gotcha' AS label, n.id AS id, n.metadata AS metadata
UNION ALL MATCH (n:Summary) WHERE n.metadata STARTS WITH '{"concluded": ' RETURN 'Summary' AS label, n.id AS id, n.metadata AS metadata
UNION ALL MATCH (n:Pattern) WHERE n.metadata STARTS WITH '{"concluded": ' RETURN 'Pattern' AS label, n.id AS id, n.metadata AS metadata
UNION ALL MATCH (n:Skill) WHERE n.metadata STARTS WITH '{"concluded": ' RETURN 'Skill' AS label, n.id AS id, n.metadata AS metadata
