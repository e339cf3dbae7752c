// Differs: `labels(n)[0]`.
MATCH (n:Turn {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Fact {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Document {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Skill {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Pattern {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Gotcha {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Memory {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Summary {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Session {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Entity {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Person {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Task {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Condition {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Artifact {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Commit {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:File {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Symbol {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:CallSite {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Snapshot {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:TestRun {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Category {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Tag {id: $id}) RETURN labels(n)[0] AS label
UNION ALL MATCH (n:Project {id: $id}) RETURN labels(n)[0] AS label
