// The graph as the page knows it: nodes and relations in columns, which of them are visible, and where they are. Draws nothing.

export class GraphModel {
  // `names` are labels and types of relations in the user's language.
  constructor(names = {}) {
    this.names = names;
    this.ids = [];
    this.labels = []; // by node
    this.titles = [];
    this.at = []; // seconds since 1970, or null
    this.until = [];
    this.x = []; // undefined until arranged
    this.y = [];
    this.community = [];
    this.source = []; // by relation, positions of nodes
    this.target = [];
    this.type = [];
    this.position = new Map(); // id -> position of the node
    this.known = new Set(); // relations, to add none twice
    this.hiddenLabels = new Set();
    this.hiddenTypes = new Set();
    this.hiddenNodes = new Set();
    this.collapsed = new Set(); // communities that are drawn as one node
    this.asOf = null; // seconds since 1970, or null for now
    this.path = []; // nodes of a path that is marked
    this.pins = new Map(); // id of a node that stays where it is -> its place
    this.marks = new Map(); // node -> what the style rules give it, see `styling.js`
  }

  // Return a label or a type of relation as it is shown.
  named(name) {
    return this.names[name] || name;
  }

  // The name of a node as it is shown.
  shownName(node) {
    return this.marks.get(node)?.name || this.titles[node];
  }

  isPinned(node) {
    return this.pins.has(this.ids[node]);
  }

  // Let a node stay where it is.
  pin(node) {
    this.pins.set(this.ids[node], { x: this.x[node], y: this.y[node] });
  }

  unpin(node) {
    this.pins.delete(this.ids[node]);
  }

  // Put the pinned nodes in their places.
  placePins() {
    for (const [id, { x, y }] of this.pins) {
      const node = this.position.get(id);
      if (node !== undefined) [this.x[node], this.y[node]] = [x, y];
    }
  }

  // Take the columns of `/api/graph`.
  addColumns({ labels, types, nodes, relations }) {
    nodes.id.forEach((id, at) => this._addNode(id, labels[nodes.label[at]], nodes.title[at], nodes.at[at], nodes.until[at]));
    relations.source.forEach((source, at) => this._addRelation(source, types[relations.type[at]], relations.target[at]));
    this._index();
  }

  // Take the records of `/api/around`. Return the number of new nodes.
  addRecords({ nodes, edges }) {
    const before = this.ids.length;
    const seconds = (time) => (time ? Math.floor(Date.parse(time) / 1000) : null);
    for (const node of nodes) this._addNode(node.id, node.label, node.title, seconds(node.at), seconds(node.until));
    for (const edge of edges) {
      const source = this.position.get(edge.source);
      const target = this.position.get(edge.target);
      if (source !== undefined && target !== undefined) this._addRelation(source, edge.relation, target);
    }
    this._index();
    return this.ids.length - before;
  }

  _addNode(id, label, title, at, until) {
    if (this.position.has(id)) return;
    this.position.set(id, this.ids.length);
    this.ids.push(id);
    this.labels.push(label);
    this.titles.push(title);
    this.at.push(at);
    this.until.push(until);
    this.community.push(0);
  }

  _addRelation(source, type, target) {
    const key = `${source} ${type} ${target}`;
    if (this.known.has(key)) return;
    this.known.add(key);
    this.source.push(source);
    this.type.push(type);
    this.target.push(target);
  }

  // The relations of each node, one after another: those of node n are `incident[first[n]]` to `incident[first[n + 1] - 1]`.
  _index() {
    const count = this.ids.length;
    this.first = new Int32Array(count + 2);
    const each = (act) => {
      for (let edge = 0; edge < this.source.length; edge++) {
        act(this.source[edge], edge);
        if (this.target[edge] !== this.source[edge]) act(this.target[edge], edge);
      }
    };
    each((node) => this.first[node + 2]++);
    for (let node = 2; node < count + 2; node++) this.first[node] += this.first[node - 1];
    this.incident = new Int32Array(this.first[count + 1]);
    each((node, edge) => (this.incident[this.first[node + 1]++] = edge));
  }

  degree(node) {
    return this.first[node + 1] - this.first[node];
  }

  isVisible(node) {
    if (this.hiddenLabels.has(this.labels[node]) || this.hiddenNodes.has(node)) return false;
    if (this.asOf === null) return true;
    return (this.at[node] === null || this.at[node] <= this.asOf) && (this.until[node] === null || this.until[node] > this.asOf);
  }

  isDrawn(edge) {
    return !this.hiddenTypes.has(this.type[edge]) && this.isVisible(this.source[edge]) && this.isVisible(this.target[edge]);
  }

  // The visible relations of a node: `{edge, node, type, outward}` with the node at the other end.
  relationsOf(node) {
    const found = [];
    for (let at = this.first[node]; at < this.first[node + 1]; at++) {
      const edge = this.incident[at];
      const outward = this.source[edge] === node;
      if (this.isDrawn(edge)) found.push({ edge, node: outward ? this.target[edge] : this.source[edge], type: this.type[edge], outward });
    }
    return found;
  }

  visible() {
    const found = [];
    for (let node = 0; node < this.ids.length; node++) if (this.isVisible(node)) found.push(node);
    return found;
  }

  // Visible nodes whose title or id contains the words, the best connected first.
  find(words, limit = Infinity) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.visible().filter((node) => {
      const text = `${this.titles[node]} ${this.ids[node]}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    const isNamed = (node) => Number((this.titles[node] || "").toLowerCase() === words.trim().toLowerCase());
    return found.sort((a, b) => isNamed(b) - isNamed(a) || this.degree(b) - this.degree(a) || a - b).slice(0, limit);
  }

  // How many nodes there are of each label, or relations of each type; the most frequent first.
  counts(column) {
    const found = new Map();
    for (const name of column) found.set(name, (found.get(name) || 0) + 1);
    return [...found].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  }

  // First and last time of all nodes, in seconds; null if there is only one.
  span() {
    let first = Infinity;
    let last = -Infinity;
    for (const at of this.at)
      if (at !== null) {
        first = Math.min(first, at);
        last = Math.max(last, at);
      }
    return first < last ? [first, last + 1] : null;
  }

  // Communities with at least `least` nodes, the largest first: `{id, size, name, x, y}`. The name is that of the best connected node.
  communities(least = 3) {
    const found = new Map();
    for (const node of this.visible()) {
      const id = this.community[node];
      const one = found.get(id) || { id, size: 0, best: node, x: 0, y: 0 };
      one.size++;
      one.x += this.x[node];
      one.y += this.y[node];
      if (this.degree(node) > this.degree(one.best)) one.best = node;
      found.set(id, one);
    }
    return [...found.values()]
      .filter((one) => one.size >= least)
      .sort((a, b) => b.size - a.size || a.id - b.id)
      .map((one) => ({ id: one.id, size: one.size, name: this.titles[one.best], x: one.x / one.size, y: one.y / one.size }));
  }

  // Neighbours of a node that hang on it alone.
  leavesOf(node) {
    return this.relationsOf(node)
      .map((one) => one.node)
      .filter((other) => other !== node && this.relationsOf(other).every((one) => one.node === node));
  }

  // Hide nodes that were forgotten.
  forget(ids) {
    for (const id of ids) if (this.position.has(id)) this.hiddenNodes.add(this.position.get(id));
  }
}
