// Draws the graph with WebGL, and lets it be moved. A picture of 20,000 nodes takes longer to draw than a frame lasts without a
// graphics card. So while somebody moves the graph, the picture that is there is moved, and it is drawn again at rest. What
// belongs to the selected node, and a node that is dragged, are drawn on a layer above.
import { EdgeLineProgram, Graph, NodePointProgram, Sigma } from "./vendor/drawing.js";

const MOST_EDGES = 60_000; // relations that are drawn; a selected node shows all of its own
const MOST_NAMED_EDGES = 150;
const MOST_FAINT = 1_500; // of them between communities: more would cover the picture
const REST_MS = 140;
const REACH = 9; // pixels around a node that belong to it
const NUDGE = 16; // pixels that Shift and an arrow key move the selected node
const HELD = 4; // pixels that a pointer moves before it drags
const MOST_NEAR = 400; // relations of a selected node that are drawn above
const NAMED_EDGES = 24; // with more relations than this, a selected node does not name them

// Sigma draws each node a second time to find the one under the pointer. Here that is looked up in the model.
class PointProgram extends NodePointProgram {
  constructor(gl, _picking, renderer) {
    super(gl, null, renderer);
  }
}

// Whether this browser can draw with WebGL.
export const canDraw = () => {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
};

const shorten = (title) => (title.length > 42 ? (/[/.]/.test(title) && !title.includes(" ") ? "…" + title.slice(-41) : title.slice(0, 41) + "…") : title);

export class GraphCanvas {
  // `host` is the element to fill. `style` returns colours: `{node(n), edge(e), isFaint(e), community(id), text, back, soft, accent}`. `on` has
  // the callbacks select(node or -1), open(node), moved(node, place before), pin(node), hover(node or -1).
  constructor(host, model, style, on) {
    Object.assign(this, { host, model, style, on });
    this.font = getComputedStyle(host).fontFamily;
    this.selected = -1;
    this.hovered = -1;
    this.move = { x: 0, y: 0, scale: 1 }; // of the picture that is there
    this.layers = document.createElement("div");
    this.layers.className = "gm-layers";
    this.stage = document.createElement("div");
    this.stage.className = "gm-layers";
    this.over = document.createElement("canvas");
    this.over.className = "gm-over";
    this.layers.append(this.stage, this.over);
    host.append(this.layers);
    this._listen();
  }

  // Draw the model anew. `keepView` keeps the part that is shown.
  show(keepView = false) {
    const state = keepView && this.sigma ? this.sigma.getCamera().getState() : null;
    const box = keepView && this.sigma ? this.sigma.getCustomBBox() : null;
    this.sigma?.kill();
    this.graph = this._build();
    this.sigma = new Sigma(this.graph, this.stage, {
      allowInvalidContainer: true, enableCameraPanning: false, enableCameraZooming: false, enableCameraRotation: false,
      defaultEdgeType: "line", edgeProgramClasses: { line: EdgeLineProgram }, nodeProgramClasses: { circle: PointProgram },
      labelDensity: 0.7, labelGridCellSize: 120, labelRenderedSizeThreshold: this.graph.order > 400 ? 4.5 : 0,
      defaultDrawNodeLabel: (paper, data) => data.label && this._write(paper, data.label, data.x + data.size + 4, data.y, this.style(), 11),
      // The type of a relation is written where few are drawn, between nodes whose names are there.
      renderEdgeLabels: this.graph.size <= MOST_NAMED_EDGES,
      defaultDrawEdgeLabel: (paper, data, source, target) =>
        data.label && this._write(paper, data.label, (source.x + target.x) / 2, (source.y + target.y) / 2, this.style(), 9),
      stagePadding: 36, minCameraRatio: 0.004, maxCameraRatio: 6,
      nodeReducer: (key, data) => (data.node < 0 || this.model.isVisible(data.node) ? data : { ...data, hidden: true, label: "" }),
      edgeReducer: (key, data) => (data.edge < 0 || this.model.isDrawn(data.edge) ? data : { ...data, hidden: true }),
    }); // prettier-ignore
    this.sigma.setCustomBBox(box || this.sigma.getBBox()); // what is dragged out of it does not scale the rest
    if (state) this.sigma.getCamera().setState(state);
    this.sigma.on("afterRender", () => this._drawOver());
  }

  _size(degree) {
    const scale = Math.max(0.55, Math.min(1, Math.sqrt(500 / Math.max(1, this.model.ids.length))));
    return (2.4 + Math.min(9, 1.1 * Math.sqrt(degree))) * scale;
  }

  _sizeOf(node) {
    return this._size(this.model.degree(node)) * (this.model.marks.get(node)?.size || 1);
  }

  _build() {
    const { model } = this;
    const colors = this.style();
    const graph = new Graph({ multi: true, type: "directed", allowSelfLoops: true });
    const folded = new Map(model.communities(1).filter((one) => model.collapsed.has(one.id)).map((one) => [one.id, one]));
    for (const one of folded.values())
      graph.addNode(`c${one.id}`, {
        node: -1, community: one.id, x: one.x, y: one.y, size: 6 + Math.min(24, Math.sqrt(one.size)),
        label: `${shorten(one.name)} (${one.size})`, color: colors.community(one.id), forceLabel: true,
      }); // prettier-ignore
    const key = (node) => (folded.has(model.community[node]) ? `c${model.community[node]}` : `${node}`);
    for (let node = 0; node < model.ids.length; node++)
      if (!folded.has(model.community[node]))
        graph.addNode(`${node}`, {
          node, x: model.x[node], y: model.y[node], size: this._sizeOf(node), label: shorten(model.shownName(node)),
          color: colors.node(node),
        }); // prettier-ignore
    const onPath = this._pathEdges();
    const between = new Set();
    this.drawnEdges = 0;
    for (const edge of this._drawnEdges(colors, onPath)) {
      const [a, b] = [key(model.source[edge]), key(model.target[edge])];
      const isFolded = a[0] === "c" || b[0] === "c";
      if (isFolded && (a === b || between.has(`${a} ${b}`))) continue;
      if (isFolded) between.add(`${a} ${b}`);
      const color = onPath.has(edge) ? colors.accent : isFolded ? colors.soft : colors.edge(edge);
      graph.addEdgeWithKey(`e${edge}`, a, b, { edge: isFolded ? -1 : edge, size: 1, color, label: isFolded ? "" : model.named(model.type[edge]) });
      this.drawnEdges++;
    }
    return graph;
  }

  // The relations along the path that is marked.
  _pathEdges() {
    const { path } = this.model;
    const steps = new Set(path.slice(1).flatMap((node, at) => [`${path[at]} ${node}`, `${node} ${path[at]}`]));
    return new Set(steps.size ? [...this.model.source.keys()].filter((edge) => steps.has(`${this.model.source[edge]} ${this.model.target[edge]}`)) : []);
  }

  // The relations to draw, the last ones on top: some of those between communities, then those within one, then the path.
  _drawnEdges(colors, onPath) {
    const faint = [];
    const clear = [];
    for (let edge = 0; edge < this.model.source.length; edge++) (colors.isFaint(edge) ? faint : clear).push(edge);
    const thin = (edges, most) => edges.filter((_, at) => at % Math.max(1, Math.ceil(edges.length / most)) === 0);
    const all = this.model.collapsed.size ? MOST_EDGES : MOST_FAINT;
    return new Set([...thin(faint, all), ...thin(clear, MOST_EDGES), ...onPath]);
  }

  // Draw again after a filter, a colour or a place has changed.
  refresh() {
    this.sigma.refresh();
  }

  // Give all nodes their colours again.
  recolor() {
    const colors = this.style();
    this.graph.updateEachNodeAttributes((key, data) => (data.node < 0
      ? { ...data, color: colors.community(data.community) }
      : { ...data, color: colors.node(data.node), size: this._sizeOf(data.node), label: shorten(this.model.shownName(data.node)) }));
    this.graph.updateEachEdgeAttributes((key, data) => ({ ...data, color: data.edge < 0 ? colors.soft : colors.edge(data.edge) }));
    this.refresh();
  }

  select(node) {
    this.selected = node;
    this._drawOver();
  }

  // Show all of it.
  fit() {
    this.sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
    this._draw();
  }

  // Bring a node or a place into the middle. `ratio` is the share of the whole that is then shown.
  center({ x, y }, ratio) {
    const at = this.sigma.viewportToFramedGraph(this.sigma.graphToViewport({ x, y }));
    this.sigma.getCamera().setState({ x: at.x, y: at.y, ratio: Math.min(ratio, this.sigma.getCamera().ratio), angle: 0 });
    this._draw();
  }

  zoom(factor) {
    const { clientWidth: width, clientHeight: height } = this.host;
    this._scale(factor, width / 2, height / 2);
    this._settle();
  }

  // Redraw at once: between this and the next frame nobody sees the picture jump.
  _draw() {
    this.move = { x: 0, y: 0, scale: 1 };
    this.sigma.render();
    this.layers.style.transform = "";
  }

  // -- moving the picture that is there

  _transform() {
    const { x, y, scale } = this.move;
    this.layers.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this._settle(), REST_MS);
  }

  _scale(factor, x, y) {
    const { move } = this;
    move.x = x - (x - move.x) * factor;
    move.y = y - (y - move.y) * factor;
    move.scale *= factor;
    this._transform();
  }

  // Draw what was moved, sharp and to its edges.
  _settle() {
    clearTimeout(this.rest);
    const { x, y, scale } = this.move;
    if (!this.sigma || (!x && !y && scale === 1)) return;
    const { clientWidth: width, clientHeight: height } = this.host;
    const camera = this.sigma.getCamera();
    const middle = this.sigma.viewportToFramedGraph({ x: (width / 2 - x) / scale, y: (height / 2 - y) / scale });
    camera.setState({ x: middle.x, y: middle.y, ratio: camera.getBoundedRatio(camera.ratio / scale), angle: 0 });
    if (this.hold) this.hold = { ...this.hold, x: this.hold.x + x, y: this.hold.y + y };
    this._draw();
  }

  // -- pointer

  _place(event) {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // The node at a place of the host, or -1; "c1" for a community that is drawn as one node.
  _nodeAt({ x, y }) {
    const at = this.sigma.viewportToGraph({ x, y });
    const beside = this.sigma.viewportToGraph({ x: x + REACH, y });
    const { model } = this;
    let found = -1;
    let least = Math.hypot(beside.x - at.x, beside.y - at.y);
    for (let node = 0; node < model.ids.length; node++) {
      const distance = Math.hypot(model.x[node] - at.x, model.y[node] - at.y);
      if (distance < least && model.isVisible(node) && !model.collapsed.has(model.community[node])) [found, least] = [node, distance];
    }
    if (found >= 0 || !model.collapsed.size) return found;
    return this.graph.findNode((key, data) => data.node < 0 && Math.hypot(this.sigma.graphToViewport(data).x - x, this.sigma.graphToViewport(data).y - y) < data.size) || -1;
  }

  _listen() {
    const { host } = this;
    const listen = (type, act, options) => host.addEventListener(type, act, options);
    listen("pointerdown", (event) => {
      if (!this.sigma || event.button || event.target.closest("button, input")) return;
      this._settle();
      host.setPointerCapture(event.pointerId);
      const place = this._place(event);
      const node = this._nodeAt(place);
      this.hold = { ...place, node: typeof node === "number" ? node : -1, found: node, dragged: false };
    });
    listen("pointermove", (event) => this._moved(this._place(event)));
    listen("pointerup", () => this._released());
    listen("pointercancel", () => this._released());
    listen("pointerleave", () => this._hover(-1));
    listen("dblclick", (event) => {
      const node = this.sigma ? this._nodeAt(this._place(event)) : -1;
      if (node !== -1) this.on.open(node);
    });
    listen("wheel", (event) => {
      if (!this.sigma) return;
      event.preventDefault();
      const { x, y } = this._place(event);
      this._scale(Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) / 400), x, y);
    }, { passive: false }); // prettier-ignore
    listen("keydown", (event) => this._key(event));
    this.sized = new ResizeObserver(() => {
      if (!this.sigma || !host.clientWidth) return;
      this.sigma.resize();
      this._draw();
    });
    this.sized.observe(host);
  }

  _moved(place) {
    const { hold } = this;
    if (!this.sigma) return;
    if (!hold) {
      if (this.move.scale === 1) this._hover(this._nodeAt(place));
      return;
    }
    if (!hold.dragged && Math.hypot(place.x - hold.x, place.y - hold.y) < HELD) return;
    hold.dragged = true;
    if (hold.node >= 0) {
      hold.at = place;
      this._drawOver();
    } else {
      this.move.x = place.x - hold.x;
      this.move.y = place.y - hold.y;
      this._transform();
    }
  }

  _released() {
    const { hold } = this;
    this.hold = null;
    if (!hold) return;
    if (!hold.dragged) this.on.select(hold.found);
    else if (hold.node >= 0 && hold.at) this._drop(hold.node, this.sigma.viewportToGraph(hold.at));
    else this._settle();
  }

  _drop(node, { x, y }) {
    const before = { x: this.model.x[node], y: this.model.y[node] };
    this.put(node, { x, y });
    this.on.moved(node, before);
  }

  // Move a node by the keyboard, as dragging it does.
  _nudge(node, step) {
    this._settle();
    const { x, y } = this._spot(node);
    this._drop(node, this.sigma.viewportToGraph({ x: x - step[0] * NUDGE, y: y - step[1] * NUDGE }));
  }

  // Put a node at a place.
  put(node, { x, y }) {
    this.model.x[node] = x;
    this.model.y[node] = y;
    this.graph.mergeNodeAttributes(`${node}`, { x, y });
    this.refresh();
  }

  _hover(node) {
    const found = typeof node === "number" ? node : -1;
    this.host.style.cursor = node === -1 ? "" : "pointer";
    if (found === this.hovered) return;
    this.hovered = found;
    this._drawOver();
  }

  _key(event) {
    const step = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!this.sigma || event.target !== this.host) return;
    if (step && event.shiftKey && this.selected >= 0) this._nudge(this.selected, step);
    else if ((event.key === "p" || event.key === "P") && this.selected >= 0) this.on.pin(this.selected);
    else if (step) {
      this.move.x += step[0] * 60;
      this.move.y += step[1] * 60;
      this._transform();
    } else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  // -- the layer above

  _drawOver() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this._drawOverNow());
  }

  _drawOverNow() {
    if (!this.sigma) return;
    const { clientWidth: width, clientHeight: height } = this.host;
    const ratio = window.devicePixelRatio || 1;
    if (this.over.width !== Math.round(width * ratio) || this.over.height !== Math.round(height * ratio)) {
      this.over.width = Math.round(width * ratio);
      this.over.height = Math.round(height * ratio);
    }
    const paper = this.over.getContext("2d");
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, width, height);
    const colors = this.style();
    this._drawPins(paper, colors);
    const dragged = this.hold?.node >= 0 && this.hold.at ? this.hold.node : -1;
    const chosen = dragged >= 0 ? dragged : this.selected;
    if (chosen >= 0 && this.model.isVisible(chosen)) this._drawNear(paper, chosen, dragged >= 0 ? this.hold.at : null, colors);
    if (this.hovered >= 0 && this.hovered !== chosen) this._drawName(paper, this.hovered, this._spot(this.hovered), colors);
  }

  // A square around each node that stays where it is.
  _drawPins(paper, colors) {
    paper.strokeStyle = colors.text;
    for (const id of this.model.pins.keys()) {
      const node = this.model.position.get(id);
      if (node === undefined || !this.model.isVisible(node) || this.model.collapsed.has(this.model.community[node])) continue;
      const { x, y } = this._spot(node);
      const half = this._sizeOf(node) + 4;
      paper.strokeRect(x - half, y - half, 2 * half, 2 * half);
    }
  }

  _spot(node) {
    return this.sigma.graphToViewport({ x: this.model.x[node], y: this.model.y[node] });
  }

  // A node with its relations and neighbours, over a veil that makes the rest faint.
  _drawNear(paper, node, held, colors) {
    const { clientWidth: width, clientHeight: height } = this.host;
    const near = this.model.relationsOf(node).slice(0, MOST_NEAR);
    const middle = held || this._spot(node);
    if (!held && near.length < this.model.ids.length / 2) {
      paper.globalAlpha = 0.72;
      paper.fillStyle = colors.back;
      paper.fillRect(0, 0, width, height);
      paper.globalAlpha = 1;
    }
    paper.strokeStyle = colors.soft;
    paper.beginPath();
    for (const one of near) {
      const spot = this._spot(one.node);
      paper.moveTo(middle.x, middle.y);
      paper.lineTo(spot.x, spot.y);
    }
    paper.stroke();
    const dot = (spot, size, color) => {
      paper.fillStyle = color;
      paper.beginPath();
      paper.arc(spot.x, spot.y, size, 0, 2 * Math.PI);
      paper.fill();
    };
    for (const one of near) dot(this._spot(one.node), Math.max(3, this._sizeOf(one.node)), colors.node(one.node));
    dot(middle, 11, colors.accent);
    dot(middle, 8, colors.node(node));
    if (near.length <= NAMED_EDGES)
      for (const one of near) {
        const spot = this._spot(one.node);
        this._write(paper, this.model.named(one.type), (spot.x + middle.x) / 2, (spot.y + middle.y) / 2, colors, 10);
      }
    const named = near.length > NAMED_EDGES * 2 && near.length > this.model.ids.length / 2 ? [] : [...near].sort((a, b) => this.model.degree(b.node) - this.model.degree(a.node)).slice(0, NAMED_EDGES);
    for (const one of named) this._drawName(paper, one.node, this._spot(one.node), colors);
    this._drawName(paper, node, middle, colors);
  }

  _drawName(paper, node, spot, colors) {
    this._write(paper, shorten(this.model.shownName(node)), spot.x + 9, spot.y, colors, 12);
  }

  _write(paper, text, x, y, colors, size) {
    paper.font = `${size}px ${this.font}`;
    paper.textBaseline = "middle";
    const width = paper.measureText(text).width;
    paper.globalAlpha = 0.85;
    paper.fillStyle = colors.back;
    paper.fillRect(x - 2, y - size / 2 - 2, width + 4, size + 4);
    paper.globalAlpha = 1;
    paper.fillStyle = colors.text;
    paper.fillText(text, x, y);
  }

  // The picture as it is, as a PNG.
  picture() {
    const { clientWidth: width, clientHeight: height } = this.host;
    const ratio = window.devicePixelRatio || 1;
    const sheet = document.createElement("canvas");
    sheet.width = width * ratio;
    sheet.height = height * ratio;
    const paper = sheet.getContext("2d");
    paper.fillStyle = this.style().back;
    paper.fillRect(0, 0, sheet.width, sheet.height);
    this.sigma.render(); // a WebGL canvas can only be read in the frame in which it was drawn
    this._drawOverNow();
    for (const layer of [...this.stage.querySelectorAll("canvas"), this.over])
      if (layer.width && layer.height) paper.drawImage(layer, 0, 0, sheet.width, sheet.height);
    return new Promise((resolve) => sheet.toBlob(resolve, "image/png"));
  }

  destroy() {
    this.sized.disconnect();
    clearTimeout(this.rest);
    cancelAnimationFrame(this.frame);
    this.sigma?.kill();
    this.sigma = null;
    this.layers.remove();
  }
}
