// Purpose: every association between items, with its weight as of its last use
// Parameters: none
// Columns: source_label, source, target_label, target, weight, at
MATCH (a:Fact)-[e:ASSOCIATED_WITH]->(b:Fact) RETURN 'Fact' AS source_label, a.id AS source, 'Fact' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Turn)-[e:ASSOCIATED_WITH]->(b:Turn) RETURN 'Turn' AS source_label, a.id AS source, 'Turn' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Document)-[e:ASSOCIATED_WITH]->(b:Document) RETURN 'Document' AS source_label, a.id AS source, 'Document' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Fact)-[e:ASSOCIATED_WITH]->(b:Document) RETURN 'Fact' AS source_label, a.id AS source, 'Document' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Fact)-[e:ASSOCIATED_WITH]->(b:Turn) RETURN 'Fact' AS source_label, a.id AS source, 'Turn' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Fact)-[e:ASSOCIATED_WITH]->(b:Gotcha) RETURN 'Fact' AS source_label, a.id AS source, 'Gotcha' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Fact)-[e:ASSOCIATED_WITH]->(b:Skill) RETURN 'Fact' AS source_label, a.id AS source, 'Skill' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Turn)-[e:ASSOCIATED_WITH]->(b:Document) RETURN 'Turn' AS source_label, a.id AS source, 'Document' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Gotcha)-[e:ASSOCIATED_WITH]->(b:Turn) RETURN 'Gotcha' AS source_label, a.id AS source, 'Turn' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
UNION ALL MATCH (a:Gotcha)-[e:ASSOCIATED_WITH]->(b:Gotcha) RETURN 'Gotcha' AS source_label, a.id AS source, 'Gotcha' AS target_label, b.id AS target, e.weight AS weight, e.at AS at
