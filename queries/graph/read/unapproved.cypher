// Purpose: what waits for a person's approval, and what was rejected
// Parameters: none
// Columns: label, id, status
MATCH (n:Fact) WHERE n.status = 'waiting' OR n.status = 'rejected' RETURN 'Fact' AS label, n.id AS id, n.status AS status
UNION ALL MATCH (n:Gotcha) WHERE n.status = 'waiting' OR n.status = 'rejected' RETURN 'Gotcha' AS label, n.id AS id, n.status AS status
UNION ALL MATCH (n:Summary) WHERE n.status = 'waiting' OR n.status = 'rejected' RETURN 'Summary' AS label, n.id AS id, n.status AS status
UNION ALL MATCH (n:Pattern) WHERE n.status = 'waiting' OR n.status = 'rejected' RETURN 'Pattern' AS label, n.id AS id, n.status AS status
UNION ALL MATCH (n:Skill) WHERE n.status = 'waiting' OR n.status = 'rejected' RETURN 'Skill' AS label, n.id AS id, n.status AS status
UNION ALL MATCH (n:Document) WHERE n.status = 'waiting' OR n.status = 'rejected' RETURN 'Document' AS label, n.id AS id, n.status AS status
