// What tools printed: text of programs, which no topic of a project is made of.
MATCH (t:Turn) WHERE t.role = 'tool' RETURN t.id AS id
