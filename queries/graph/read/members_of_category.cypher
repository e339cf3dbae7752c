// Purpose: what belongs to a category, closest first
// Parameters: id
// Columns: id, label, title, content
MATCH (c:Category {id: $id})<-[m:MEMBER_OF]-(n:Fact:Document:Turn:Skill:Pattern:Gotcha:Summary:Task:Category:Entity) RETURN n.id AS id, label(n) AS label, coalesce(n.title, n.name) AS title, n.content AS content ORDER BY m.distance, id
