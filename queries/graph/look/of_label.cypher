MATCH (n:${label})
RETURN ${properties}
ORDER BY n.id LIMIT 25
