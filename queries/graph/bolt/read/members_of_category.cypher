// Differs: `labels(n)[0]`, `|` between labels.
MATCH (c:Category {id: $id})<-[m:MEMBER_OF]-(n:Fact|Document|Turn|Skill|Pattern|Gotcha|Summary|Task|Category|Entity) RETURN n.id AS id, labels(n)[0] AS label, coalesce(n.title, n.name) AS title, n.content AS content ORDER BY m.distance, id
