// Purpose: what a node is, looked up by the key of each label (one look over all labels at once reads the whole store)
// Parameters: id
// Columns: label
MATCH (n:Turn {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Fact {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Document {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Skill {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Pattern {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Gotcha {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Memory {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Summary {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Session {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Entity {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Person {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Task {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Condition {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Artifact {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Commit {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:File {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Symbol {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:CallSite {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Snapshot {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:TestRun {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Category {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Tag {id: $id}) RETURN label(n) AS label
UNION ALL MATCH (n:Project {id: $id}) RETURN label(n) AS label
