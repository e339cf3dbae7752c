// Purpose: what passes concluded from everything, with the digest of its state
// Parameters: none
// Columns: label, id, metadata
MATCH (n:Summary) WHERE n.metadata STARTS WITH '{"memified": ' RETURN 'Summary' AS label, n.id AS id, n.metadata AS metadata
UNION ALL MATCH (n:Pattern) WHERE n.metadata STARTS WITH '{"memified": ' RETURN 'Pattern' AS label, n.id AS id, n.metadata AS metadata
UNION ALL MATCH (n:Category) WHERE n.kind = 'community' RETURN 'Category' AS label, n.id AS id, n.metadata AS metadata
