MATCH (a:Task)-[r]->(b) RETURN a, b LIMIT 50
