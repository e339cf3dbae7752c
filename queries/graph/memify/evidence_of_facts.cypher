// Purpose: what these facts rest on
// Parameters: ids
// Columns: id, label, source
UNWIND $ids AS x MATCH (f:Fact {id: x})<-[:EVIDENCE_OF]-(s:Turn) RETURN f.id AS id, 'Turn' AS label, s.id AS source
UNION ALL UNWIND $ids AS x MATCH (f:Fact {id: x})<-[:EVIDENCE_OF]-(s:Commit) RETURN f.id AS id, 'Commit' AS label, s.id AS source
UNION ALL UNWIND $ids AS x MATCH (f:Fact {id: x})<-[:EVIDENCE_OF]-(s:Snapshot) RETURN f.id AS id, 'Snapshot' AS label, s.id AS source
UNION ALL UNWIND $ids AS x MATCH (f:Fact {id: x})<-[:EVIDENCE_OF]-(s:Document) RETURN f.id AS id, 'Document' AS label, s.id AS source
UNION ALL UNWIND $ids AS x MATCH (f:Fact {id: x})<-[:EVIDENCE_OF]-(s:Fact) RETURN f.id AS id, 'Fact' AS label, s.id AS source
