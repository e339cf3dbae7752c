// Purpose: create many relations of one type between two labels from a table; none of them is there, and all ends are. Parameters: $rows (Arrow: source, target, every property in its place).
// Template: ${type}, ${source}, ${target}.
COPY `${type}` FROM $$rows (from='${source}', to='${target}')
