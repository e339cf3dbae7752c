// Purpose: troubles with a known way out that are sure enough to be shared with other projects
// Parameters: none
// Columns: id, title, stage, confidence
MATCH (g:Gotcha) WHERE g.resolved AND g.status = 'active' AND g.confidence >= 0.8 AND g.stage IN ['verified', 'certified']
RETURN g.id AS id, g.title AS title, g.stage AS stage, g.confidence AS confidence ORDER BY confidence DESC, id
