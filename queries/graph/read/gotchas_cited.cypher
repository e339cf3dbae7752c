// Purpose: snapshots that a gotcha cites
// Parameters: none
// Columns: snapshot
MATCH (:Gotcha)-[:FAILED_IN]->(s:Snapshot) RETURN DISTINCT s.id AS snapshot
