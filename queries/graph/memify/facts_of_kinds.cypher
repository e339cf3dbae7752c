// Purpose: facts that tell what people want, with who said them
// Parameters: kinds
// Columns: id, kind, content, project, at, confidence
UNWIND $kinds AS x MATCH (f:Fact {kind: x}) RETURN f.id AS id, f.kind AS kind, f.content AS content, f.project AS project, f.at AS at, f.confidence AS confidence
