// The graph page: the canvas, what it is filtered by, the node that is selected, and the same as a list. Reads the API by itself,
// because 100,000 nodes should not pass through the connection of the page.
import { GraphCanvas, canDraw } from "graphmem-graph/canvas.js";
import { GraphModel } from "graphmem-graph/model.js";
import { COLORS, SIZES, TESTS, isValid, marksOf, read, written } from "graphmem-graph/styling.js";
import template from "graphmem-graph/template.js";

const APART = "|"; // separator of ids in the address
const AROUND = 250; // relations of one expansion
const MOST_AROUND = 5000;
const MOST_STYLED = 100_000; // nodes of a kind that a style rule looks at
const TICKS = 200; // steps of the time slider
const LISTED = 50; // rows of the list
const NAMED = 12; // communities with a name
const FOUND = 8;
const CLOSE = 0.15; // share of the whole that is shown around a node that was found
const SHADES = ["#2f6fde", "#d9480f", "#2b8a3e", "#ae3ec9", "#0b7285", "#c2255c", "#8f6b00", "#5f3dc4", "#087f5b", "#a61e4d", "#4a6fa5", "#7c5c3e"];
const OTHER = "#868e96"; // nodes without a community

const PLAIN = { kind: "", property: "", test: "is", value: "", color: "", size: "", name: "" }; // a style rule without a choice
const ARRANGED_WHOLE = 600; // nodes up to which pinned ones are in their places before the others are arranged

// A problem that the page shows as a sentence.
class Refused extends Error {}

// Pinned nodes in an address: `x,y,id`, separated like ids. What an address says may be anything.
const pinsAsText = (pins) => [...pins].map(([id, { x, y }]) => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10},${id}`).join(APART);
const pinsIn = (text) => {
  const found = new Map();
  for (const one of (text || "").split(APART)) {
    const [x, y, ...id] = one.split(",");
    if (id.length && x !== "" && y !== "" && Number.isFinite(Number(x)) && Number.isFinite(Number(y))) found.set(id.join(","), { x: Number(x), y: Number(y) });
  }
  return found;
};

// A shade that is near to the background. The renderer cannot draw transparent lines without making them brighter.
const blend = (shade, back) => {
  const parts = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const own = parts(shade);
  return `#${parts(back).map((part, at) => Math.round(own[at] * 0.4 + part * 0.6).toString(16).padStart(2, "0")).join("")}`;
};

const ask = async (path, query = {}) => {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) given.append(name, one);
  const { store } = document.documentElement.dataset; // with several stores, the one of this page
  const headers = { accept: "application/json", ...(store ? { "graphmem-store": encodeURIComponent(store) } : {}) };
  const answer = await fetch(`/api/${path}?${given}`, { headers });
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Refused(body.error.message), { isMissing: answer.status === 404 });
  return body;
};

export default {
  props: { words: Object, names: Object, tones: Object, ids: Array, to: String, hidden: Array, asOf: String, pins: String, rules: String, nodes: Object },
  emits: ["started"],
  template,
  data() {
    return {
      drawable: canDraw(), isList: false, isWhole: false, isEmpty: false, problem: "", busy: "", notice: "", sought: "", offers: [], colored: "kind", chosen: -1,
      start: "", tick: TICKS, ticks: TICKS, span: null, page: 0, size: LISTED, undos: [], version: 0, canvas: false, total: null,
      shades: {}, seeds: [], target: "", styles: [], draft: { ...PLAIN }, kindsOfNodes: {}, choices: { colors: Object.keys(COLORS), sizes: Object.keys(SIZES), tests: TESTS },
    }; // prettier-ignore
  },
  computed: {
    kinds() {
      return this.version >= 0 && this.model ? this.model.counts(this.model.labels).map(([name, count]) => ({ name, count, off: this.model.hiddenLabels.has(name) })) : [];
    },
    types() {
      return this.version >= 0 && this.model ? this.model.counts(this.model.type).map(([name, count]) => ({ name, count, off: this.model.hiddenTypes.has(name) })) : [];
    },
    counted() {
      if (this.version < 0 || !this.model) return "";
      let relations = 0;
      for (let edge = 0; edge < this.model.source.length; edge++) relations += this.model.isDrawn(edge);
      return this.fill(this.words.counted, { n: this.model.visible().length, m: relations });
    },
    part() {
      if (this.version < 0 || !this.model) return "";
      const said = [];
      const { total } = this;
      if (total && total.nodes > this.model.ids.length) said.push(this.fill(this.words.partNodes, { n: this.model.ids.length, m: total.nodes }));
      if (total && total.leftOut) said.push(this.fill(this.words.partRelations, { n: total.leftOut }));
      if (total && total.isCut) said.push(this.words.partAround);
      if (this.canvas && this.board.drawnEdges < this.model.source.length && !this.model.collapsed.size)
        said.push(this.fill(this.words.partDrawn, { n: this.board.drawnEdges, m: this.model.source.length }));
      return said.join(" ");
    },
    matching() {
      return this.version >= 0 && this.model && (this.isList || !this.drawable) ? this.model.find(this.sought) : [];
    },
    properties() {
      return Object.keys(this.kindsOfNodes[this.draft.kind] || {}).filter((name) => name !== "id").sort();
    },
    isComplete() {
      return isValid(this.draft) && (!this.draft.property || this.draft.value.trim() !== "");
    },
    listed() {
      return this.matching.length;
    },
    rows() {
      const { model } = this;
      return this.matching.slice(this.page * this.size, (this.page + 1) * this.size).map((node) => ({
        node, id: model.ids[node], title: model.shownName(node) || model.ids[node], label: model.labels[node], degree: model.degree(node),
        isPinned: model.isPinned(node), rule: model.marks.has(node) ? this.described(model.marks.get(node).rule) : "",
      })); // prettier-ignore
    },
    groups() {
      if (this.version < 0 || !this.model) return [];
      return this.model.communities().slice(0, NAMED).map((one) => ({ ...one, shade: this.shades[one.id] || OTHER, isFolded: this.model.collapsed.has(one.id) }));
    },
    node() {
      const { model, chosen } = this;
      if (this.version < 0 || !model || chosen < 0) return null;
      const groups = new Map();
      for (const one of model.relationsOf(chosen)) {
        const key = `${one.type} ${one.outward}`;
        const group = groups.get(key) || { key, type: one.type, name: `${one.outward ? "→" : "←"} ${model.named(one.type)}`, all: 0, nodes: [] };
        if (group.nodes.length < LISTED) group.nodes.push({ node: one.node, title: model.titles[one.node] });
        group.all++;
        groups.set(key, group);
      }
      const at = model.at[chosen];
      return {
        id: model.ids[chosen], label: model.labels[chosen], title: model.titles[chosen] || model.ids[chosen], href: `/item?id=${encodeURIComponent(model.ids[chosen])}`,
        isPinned: model.isPinned(chosen), date: at === null ? "" : new Date(at * 1000).toISOString().slice(0, 10), groups: [...groups.values()].sort((a, b) => a.all - b.all),
      }; // prettier-ignore
    },
    moment() {
      if (!this.span) return "";
      const [first, last] = this.span;
      return new Date((first + ((last - first) * this.tick) / TICKS) * 1000).toISOString().slice(0, 16).replace("T", " ");
    },
  },
  watch: {
    sought() {
      this.page = 0;
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.offer(), 120);
    },
  },
  async mounted() {
    this.dark = new MutationObserver(() => this.recolor());
    this.dark.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    if (this.nodes) await this.present(this.nodes);
    else await this.open(this.ids || [], this.to || "", this.hidden || [], this.asOf || "", pinsIn(this.pins), read(this.rules));
  },
  beforeUnmount() {
    this.dark?.disconnect();
    this.worker?.terminate();
    this.board?.destroy();
  },
  // The model and the board are not observed by Vue: watching 100,000 nodes would take longer than drawing them. `version` says
  // that the model has changed.
  methods: {
    fill: (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name].toLocaleString()),
    changed() {
      this.version++;
    },
    named(name) {
      return this.names[name] || name;
    },

    // -- reading

    // Show some nodes with their neighbours, the way to another one, or without ids the whole graph.
    async open(ids, to = "", hidden = [], asOf = "", pins = null, rules = null) {
      const pinned = pins || this.model?.pins || new Map(); // from one picture to the next, a node stays where it was put
      if (rules) this.styles = rules;
      Object.assign(this, { seeds: [...ids], target: to, start: "", chosen: -1, undos: [], problem: "", isEmpty: false, total: null, sought: "" });
      this.isWhole = !ids.length;
      this.colored = this.isWhole ? "community" : "kind";
      this.model = new GraphModel(this.names);
      this.model.pins = pinned;
      hidden.forEach((label) => this.model.hiddenLabels.add(label));
      this.busy = this.words.reading;
      try {
        await (this.isWhole ? this.readWhole() : this.readAround(ids, to));
        this.span = this.model.span();
        this.tick = TICKS;
        if (asOf && this.span) this.travelTo(Date.parse(asOf) / 1000);
        await this.applyRules();
        await this.present(null);
        if (ids.length === 1 && !to) this.choose(this.model.position.get(this.seeds[0]) ?? -1);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.problem = error.isMissing ? this.words.noNode : error.message;
        this.busy = "";
        this.changed();
      }
    },
    async readWhole() {
      const { data } = await ask("graph");
      this.model.addColumns(data);
      const nodes = Object.values(data.total).reduce((sum, one) => sum + one, 0);
      this.total = { nodes, leftOut: data.left_out_relations };
    },
    async readAround(ids, to) {
      let wanted = ids;
      let path = [];
      if (to) {
        const { data } = await ask("path", { a: ids[0], b: to });
        path = (data.rows[0]?.[0] || []).map((node) => node.id);
        if (!path.length) this.problem = this.words.noPath;
        wanted = [...new Set([...path, ...(path.length ? [] : [...ids, to])])];
      }
      const { data } = await ask("around", { ids: wanted, limit: Math.min(MOST_AROUND, AROUND * wanted.length) });
      if (path.length) data.nodes = data.nodes.filter((node) => path.includes(node.id)); // a double click shows neighbours
      this.total = { isCut: data.truncated && !path.length };
      this.model.addRecords(data);
      this.model.path = path.map((id) => this.model.position.get(id));
      // A name may have led to another id: the first nodes are those that were asked for.
      if (!to) this.seeds = ids.map((id, at) => (this.model.position.has(id) ? id : data.nodes[at]?.id || id));
    },

    // Arrange and draw the model, or these records of nodes and relations.
    async present(records) {
      if (records) {
        this.model = new GraphModel(this.names);
        this.model.addRecords(records);
      }
      this.isEmpty = !this.model.ids.length;
      this.changed();
      if (!this.isEmpty) {
        this.busy = this.fill(this.words.arranging, { n: this.model.ids.length });
        await this.arrange();
        this.draw();
      }
      this.busy = "";
      this.changed();
      this.$emit("started", { nodes: this.model.ids.length });
    },
    arrange() {
      const { model } = this;
      const count = model.ids.length;
      this.worker ??= new Worker(new URL("arrange.js", import.meta.resolve("graphmem-graph/canvas.js")), { type: "module" });
      const job = (this.job = (this.job || 0) + 1);
      return new Promise((resolve) => {
        this.worker.onmessage = ({ data }) => {
          if (data.job !== job) return;
          if (!data.places) {
            this.busy = `${this.fill(this.words.arranging, { n: count })} ${Math.round(data.share * 100)} %`;
            return;
          }
          for (let node = 0; node < count; node++) {
            model.x[node] = data.places[2 * node];
            model.y[node] = data.places[2 * node + 1];
            model.community[node] = data.community[node];
          }
          model.placePins();
          this.shade();
          resolve();
        };
        if (count <= ARRANGED_WHOLE || model.x.length) model.placePins();
        const full = (column) => Array.from({ length: count }, (_, node) => column[node] ?? NaN);
        this.worker.postMessage({ job, count, source: model.source, target: model.target, x: full(model.x), y: full(model.y) });
      });
    },
    // Give each community the shade whose nearest bearer is farthest away, so that those beside each other differ.
    shade() {
      const bearers = SHADES.map(() => []);
      this.shades = {};
      for (const one of this.model.communities()) {
        let best = 0;
        let farthest = -1;
        bearers.forEach((others, shade) => {
          let nearest = Infinity;
          for (const other of others) nearest = Math.min(nearest, Math.hypot(other.x - one.x, other.y - one.y));
          if (nearest > farthest) [best, farthest] = [shade, nearest];
        });
        bearers[best].push(one);
        this.shades[one.id] = SHADES[best];
      }
    },
    draw(keepView = false) {
      if (!this.drawable) return;
      if (!this.board) {
        const on = {
          select: (node) => (typeof node === "string" ? this.fold([Number(node.slice(1))], false) : this.choose(node)),
          open: (node) => this.opened(node),
          moved: (node, before) => this.movedNode(node, before),
          pin: (node) => this.pinNode(node),
        };
        this.board = new GraphCanvas(this.$refs.host, this.model, () => (this.palette ??= this.colors()), on);
      }
      this.palette = null;
      this.board.model = this.model;
      this.board.selected = this.chosen;
      this.board.show(keepView);
      this.canvas = true;
    },
    colors() {
      const style = getComputedStyle(document.body);
      const read = (name) => style.getPropertyValue(name).trim();
      const { model } = this;
      const line = read("--line");
      const strong = read("--line-strong");
      const isCommunity = this.colored === "community";
      const isFaint = (edge) => this.isWhole && model.community[model.source[edge]] !== model.community[model.target[edge]];
      const mixed = new Map();
      const mix = (shade) => mixed.get(shade) ?? mixed.set(shade, blend(shade, read("--panel"))).get(shade);
      return {
        text: read("--text"), back: read("--panel"), soft: read("--faint"), accent: read("--accent"),
        community: (id) => this.shades[id] || OTHER,
        node: (node) => model.marks.get(node)?.color || (isCommunity ? this.shades[model.community[node]] || OTHER : this.tones[model.labels[node]] || OTHER),
        edge: (edge) => (isFaint(edge) ? line : isCommunity ? mix(this.shades[model.community[model.source[edge]]] || OTHER) : strong),
        isFaint,
      }; // prettier-ignore
    },

    // -- pins and style rules

    // A node that was moved stays where it was put.
    movedNode(node, before) {
      const { model } = this;
      const pinned = model.pins.get(model.ids[node]);
      model.pin(node);
      this.undos.push(() => {
        this.board.put(node, before);
        pinned ? model.pins.set(model.ids[node], pinned) : model.unpin(node);
        this.repinned();
      });
      this.repinned();
    },
    pinNode(node) {
      const { model } = this;
      const flip = () => {
        model.isPinned(node) ? model.unpin(node) : model.pin(node);
        this.repinned();
      };
      flip();
      this.undos.push(flip);
    },
    repinned() {
      this.board?.select(this.chosen);
      this.changed();
      this.keep();
    },
    async applyRules() {
      const rows = async (query) => (await ask("cypher", { query, limit: MOST_STYLED })).data.rows;
      this.model.marks = await marksOf(this.styles, this.model, rows);
    },
    async restyle(rules) {
      const before = this.styles;
      await this.useRules(rules);
      this.undos.push(() => this.useRules(before));
    },
    async useRules(rules) {
      this.styles = rules;
      this.problem = "";
      try {
        await this.applyRules();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        ({ message: this.problem } = error);
      }
      this.recolor();
      this.changed();
      this.keep();
    },
    async readKinds() {
      if (!Object.keys(this.kindsOfNodes).length) this.kindsOfNodes = (await ask("schema")).data.nodes;
    },
    async addRule() {
      if (!this.isComplete) return;
      const rule = { ...this.draft };
      Object.assign(this.draft, PLAIN);
      await this.restyle([...this.styles, rule]);
    },
    // A rule in words.
    described({ kind, property, test, value, color, size, name }) {
      const { words } = this;
      const when = property ? `${property} ${words[`test_${test}`]} “${value}”` : "";
      const given = [color && words[`color_${color}`], size && words[`size_${size}`], name && this.fill(words.namedBy, { name })].filter(Boolean);
      return `${[this.named(kind), when].filter(Boolean).join(", ")}: ${given.join(", ")}`;
    },
    shadeOf: ({ color }) => COLORS[color] || "transparent",

    // -- acting

    color(by) {
      this.colored = by;
      this.recolor();
    },
    recolor() {
      this.palette = null;
      if (this.board?.sigma) this.board.recolor();
    },
    toggle(column, name) {
      const off = column === "label" ? this.model.hiddenLabels : this.model.hiddenTypes;
      const flip = () => (off.has(name) ? off.delete(name) : off.add(name));
      flip();
      this.undos.push(() => {
        flip();
        this.filtered();
      });
      this.filtered();
    },
    filtered() {
      this.board?.refresh();
      this.page = 0;
      this.changed();
      this.keep();
    },
    travel() {
      const [first, last] = this.span;
      this.model.asOf = this.tick >= TICKS ? null : first + ((last - first) * this.tick) / TICKS;
      clearTimeout(this.travelling);
      this.travelling = setTimeout(() => this.filtered(), 120);
    },
    travelTo(seconds) {
      const [first, last] = this.span;
      if (!(seconds < last)) return;
      this.tick = Math.max(0, Math.round(((seconds - first) / (last - first)) * TICKS));
      this.model.asOf = seconds;
    },
    choose(node, isCentered = false) {
      if (node !== this.chosen) this.notice = "";
      this.chosen = node;
      this.board?.select(node);
      if (node >= 0 && isCentered && this.canvas) this.board.center({ x: this.model.x[node], y: this.model.y[node] }, 1);
      this.changed();
    },
    opened(node) {
      if (typeof node === "string") this.fold([Number(node.slice(1))], false);
      else this.expand(this.model.ids[node]);
    },
    // Add the neighbours of a node to what is shown: those that are not there, are hidden, or are in a community that is drawn as
    // one node.
    async expand(id, type = "") {
      const before = this.model.visible().length;
      this.notice = "";
      try {
        const { data } = await ask("around", { ids: [id], limit: AROUND, ...(type ? { relation: [type] } : {}) });
        for (const one of data.nodes) {
          const node = this.model.position.get(one.id);
          this.model.hiddenNodes.delete(node);
          this.model.collapsed.delete(this.model.community[node]);
        }
        if (!this.model.addRecords(data) && this.isWhole) {
          this.draw(true);
          if (this.model.visible().length === before) this.notice = this.words.allShown;
          this.choose(this.model.position.get(id), true);
          return;
        }
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.problem = error.isMissing ? this.words.noNode : error.message;
        return;
      }
      if (!this.isWhole && !this.seeds.includes(id)) this.seeds.push(id);
      await this.arrange();
      this.draw(true);
      this.span = this.model.span();
      this.choose(this.model.position.get(id));
      this.keep();
    },
    // Show a node and its neighbours, without the rest.
    async isolate(id) {
      await this.open([id]);
      this.keep();
    },
    // Hide what hangs on the selected node alone; in the whole graph, draw its community as one node.
    collapse() {
      if (this.isWhole) this.fold([this.model.community[this.chosen]], true);
      else this.conceal(this.model.leavesOf(this.chosen));
    },
    hide() {
      const node = this.chosen;
      this.choose(-1);
      this.conceal([node]);
    },
    conceal(nodes) {
      const fresh = nodes.filter((node) => !this.model.hiddenNodes.has(node));
      fresh.forEach((node) => this.model.hiddenNodes.add(node));
      this.seeds = this.seeds.filter((id) => !this.model.hiddenNodes.has(this.model.position.get(id)));
      this.undos.push(() => {
        fresh.forEach((node) => this.model.hiddenNodes.delete(node));
        this.filtered();
      });
      this.filtered();
    },
    fold(ids, isFolded) {
      const before = new Set(this.model.collapsed);
      ids.forEach((id) => (isFolded ? this.model.collapsed.add(id) : this.model.collapsed.delete(id)));
      this.chosen = -1;
      this.undos.push(() => {
        this.model.collapsed = before;
        this.draw(true);
        this.changed();
      });
      this.draw(true);
      this.changed();
    },
    undo() {
      this.undos.pop()?.();
    },
    forget(ids) {
      if (!this.model || !ids.some((id) => this.model.position.has(id))) return;
      this.model.forget(ids);
      if (this.chosen >= 0 && this.model.hiddenNodes.has(this.chosen)) this.choose(-1);
      this.filtered();
    },
    visit(group) {
      this.board?.center(group, CLOSE * 2);
    },
    zoom(factor) {
      this.board.zoom(factor);
    },
    fit() {
      this.board.fit();
    },
    async save() {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await this.board.picture());
      link.download = "graph.png";
      link.click();
      URL.revokeObjectURL(link.href);
    },

    // -- finding

    offer() {
      const { model } = this;
      const words = this.sought.trim();
      this.offers = words.length > 1 && model && !this.isList
        ? model.find(words, FOUND).map((node) => ({ id: model.ids[node], label: model.labels[node], title: model.titles[node] || model.ids[node] }))
        : []; // prettier-ignore
    },
    // Enter takes the first that is in the picture; otherwise the memory is searched.
    async findAny() {
      const words = this.sought.trim();
      if (!words) return;
      clearTimeout(this.typing);
      this.offer();
      if (this.offers.length) {
        this.take(this.offers[0]);
        return;
      }
      const { data } = await ask("search", { query: words, k: FOUND });
      this.offers = data.hits.map((hit) => ({ id: hit.id, label: hit.kind, title: hit.title || hit.summary }));
      if (!this.offers.length) this.offers = [{ id: "", label: "", title: this.words.nothing }];
    },
    take({ id }) {
      this.offers = [];
      if (!id) return;
      const node = this.model.position.get(id);
      if (node === undefined) {
        this.open([id]).then(() => this.keep());
        return;
      }
      const community = this.model.community[node];
      if (this.model.collapsed.has(community)) this.fold([community], false);
      this.choose(node);
      if (this.canvas) this.board.center({ x: this.model.x[node], y: this.model.y[node] }, CLOSE);
    },

    // -- the address, so that a view can be shared

    keep() {
      if (this.nodes) return;
      const given = new URLSearchParams();
      const at = this.model.asOf;
      const state = {
        ids: this.seeds.join(APART), to: this.target, hide: [...this.model.hiddenLabels].sort().join(APART),
        asof: at === null ? "" : new Date(at * 1000).toISOString(), pin: pinsAsText(this.model.pins), style: written(this.styles),
      }; // prettier-ignore
      for (const [name, value] of Object.entries(state)) if (value) given.set(name, value);
      const page = `/graph${given.size ? `?${given}` : ""}`;
      history.replaceState({ page }, "", page);
    },
  },
};
