// Rules that give nodes a colour, a size or a name by their kind or a property, and the text that keeps them in an address. A rule is
// `{kind, property, test, value, color, size, name}`; of several that fit a node, the last one counts.

export const COLORS = { blue: "#2f6fde", orange: "#d9480f", green: "#2b8a3e", purple: "#ae3ec9", teal: "#0b7285", red: "#c92a2a", ochre: "#8f6b00", grey: "#868e96" };
export const SIZES = { smaller: 0.6, larger: 1.7, largest: 2.6 };
export const TESTS = ["is", "contains", "least", "most"];
const FIELDS = ["kind", "property", "test", "value", "color", "size", "name"];
const MOST_RULES = 20;
const LONGEST = 200; // characters of a field
const NAME = /^[A-Za-z_]\w*$/; // of labels and properties: they become part of a query

// Rules as text, and back. What an address says may be anything.
export const written = (rules) => (rules.length ? JSON.stringify(rules.map((rule) => FIELDS.map((field) => rule[field] || ""))) : "");
export const read = (text) => {
  let rows;
  try {
    rows = JSON.parse(text || "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(rows)) return [];
  return rows.slice(0, MOST_RULES).filter(Array.isArray).map((row) => Object.fromEntries(FIELDS.map((field, at) => [field, String(row[at] ?? "").slice(0, LONGEST)]))).filter(isValid);
};
export const isValid = (rule) =>
  NAME.test(rule.kind) && (!rule.property || NAME.test(rule.property)) && (!rule.name || NAME.test(rule.name)) && (!rule.property || TESTS.includes(rule.test)) && Boolean(COLORS[rule.color] || SIZES[rule.size] || rule.name);

const query = ({ kind, property, name }) => `MATCH (n:${kind}) RETURN n.id AS id, ${property ? `n.${property}` : "''"} AS value, ${name ? `n.${name}` : "''"} AS name`;

const fits = ({ property, test, value }, found) => {
  if (!property) return true;
  if (found === null || found === undefined) return false;
  const text = String(found).toLowerCase();
  const wanted = value.trim().toLowerCase();
  if (test === "is") return text === wanted || (wanted !== "" && Number(text) === Number(wanted));
  if (test === "contains") return text.includes(wanted);
  const isNumber = wanted !== "" && Number.isFinite(Number(wanted)) && Number.isFinite(Number(text));
  const order = isNumber ? Number(text) - Number(wanted) : text < wanted ? -1 : text > wanted ? 1 : 0;
  return test === "least" ? order >= 0 : order <= 0;
};

// What the rules give the nodes of the model: position -> `{color, size, name, rule}`. `ask` runs a query of the API and returns its rows.
export const marksOf = async (rules, model, ask) => {
  const marks = new Map();
  const put = (node, rule, name) => {
    const known = marks.get(node) || {};
    marks.set(node, { color: COLORS[rule.color] || known.color, size: SIZES[rule.size] || known.size, name: name || known.name, rule });
  };
  for (const rule of rules) {
    if (!rule.property && !rule.name) {
      model.labels.forEach((label, node) => label === rule.kind && put(node, rule, ""));
      continue;
    }
    for (const [id, found, name] of await ask(query(rule))) {
      const node = model.position.get(id);
      if (node !== undefined && fits(rule, found)) put(node, rule, name === null || name === undefined ? "" : String(name));
    }
  }
  return marks;
};
