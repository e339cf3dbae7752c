// A worker that finds the communities of a graph and a place for each node. Large graphs become a map: each community is a disc,
// arranged by itself, and related communities are near each other. In small graphs, nodes that have a place keep it.
import { UndirectedGraph, forceAtlas2, louvain } from "./vendor/arranging.js";

const APART = 10; // distance of two nodes
const MAP_FROM = 600; // nodes: smaller graphs are arranged as a whole
const WORK = 3_000_000; // node moves: with more nodes there are fewer rounds
const PER_NODE = 10; // numbers of a node in the matrix of ForceAtlas2: x, y, dx, dy, old dx, old dy, mass, convergence, size, fixed
const PER_EDGE = 3; // source, target, weight
const SETTINGS = {
  linLogMode: false, outboundAttractionDistribution: false, adjustSizes: false, edgeWeightInfluence: 1, scalingRatio: 4,
  strongGravityMode: true, gravity: 0.05, slowDown: 2, barnesHutTheta: 0.7,
};
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

// The same numbers each time, so that a graph looks the same each time.
const seeded = () => {
  let state = 7;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
};

// Weights of relations: one to a node with thousands of others says little.
const weigh = (count, source, target) => {
  const degree = new Float64Array(count);
  for (let at = 0; at < source.length; at++) {
    degree[source[at]]++;
    degree[target[at]]++;
  }
  return Float64Array.from(source, (one, at) => 1 / Math.sqrt(Math.min(degree[one], degree[target[at]])));
};

const findCommunities = (count, source, target, weight) => {
  const graph = new UndirectedGraph();
  for (let node = 0; node < count; node++) graph.addNode(node);
  for (let at = 0; at < source.length; at++)
    if (source[at] !== target[at])
      graph.updateEdge(source[at], target[at], (known) => ({ weight: (known.weight || 0) + weight[at] }));
  if (!graph.size) return Int32Array.from({ length: count }, (_, node) => node);
  const found = louvain(graph, { getEdgeWeight: "weight", rng: seeded() });
  return Int32Array.from({ length: count }, (_, node) => found[node]);
};

// Run ForceAtlas2 on nodes with sizes and, where known, fixed places. `places` has x and y of each node, one after another.
const relax = (places, edges, rounds, settings, fixed = null) => {
  const count = places.length / 2;
  const nodes = new Float32Array(count * PER_NODE);
  const links = new Float32Array(edges.length * PER_EDGE);
  for (let node = 0; node < count; node++) {
    const at = node * PER_NODE;
    nodes[at] = places[2 * node];
    nodes[at + 1] = places[2 * node + 1];
    nodes[at + 6] = nodes[at + 7] = nodes[at + 8] = 1;
    nodes[at + 9] = fixed && fixed[node] ? 1 : 0;
  }
  edges.forEach(([a, b, weight], at) => {
    links[at * PER_EDGE] = a * PER_NODE;
    links[at * PER_EDGE + 1] = b * PER_NODE;
    links[at * PER_EDGE + 2] = weight;
    nodes[a * PER_NODE + 6] += weight;
    nodes[b * PER_NODE + 6] += weight;
  });
  const options = { ...SETTINGS, barnesHutOptimize: count > 400, ...settings };
  for (let round = 0; round < rounds; round++) forceAtlas2(options, nodes, links);
  for (let node = 0; node < count; node++) {
    places[2 * node] = nodes[node * PER_NODE];
    places[2 * node + 1] = nodes[node * PER_NODE + 1];
  }
};

const spiral = (count) => {
  const places = new Float64Array(count * 2);
  for (let node = 0; node < count; node++) {
    const radius = APART * Math.sqrt(node);
    places[2 * node] = radius * Math.cos(node * GOLDEN);
    places[2 * node + 1] = radius * Math.sin(node * GOLDEN);
  }
  return places;
};

// Fill a disc evenly: each node keeps its direction, and its rank by distance decides how far it is from the middle.
const fillDisc = (places) => {
  const count = places.length / 2;
  let x = 0;
  let y = 0;
  for (let node = 0; node < count; node++) {
    x += places[2 * node] / count;
    y += places[2 * node + 1] / count;
  }
  const distance = (node) => Math.hypot(places[2 * node] - x, places[2 * node + 1] - y);
  const order = Array.from({ length: count }, (_, node) => node).sort((a, b) => distance(a) - distance(b) || a - b);
  const filled = new Float64Array(places.length);
  order.forEach((node, rank) => {
    const angle = Math.atan2(places[2 * node + 1] - y, places[2 * node] - x) + (rank % 2) * 1e-3;
    filled[2 * node] = APART * Math.sqrt(rank) * Math.cos(angle);
    filled[2 * node + 1] = APART * Math.sqrt(rank) * Math.sin(angle);
  });
  return filled;
};

// Places for discs of these radii: related ones near each other, none over another.
const placeDiscs = (radii, edges) => {
  const count = radii.length;
  const places = spiral(count);
  const mean = radii.reduce((sum, one) => sum + one, 0) / count;
  for (let at = 0; at < places.length; at++) places[at] *= mean / APART;
  relax(places, edges, 200, { scalingRatio: mean * 2, gravity: 0.2 });
  for (let round = 0; round < 200; round++) {
    let moved = false;
    for (let a = 0; a < count; a++)
      for (let b = a + 1; b < count; b++) {
        const dx = places[2 * b] - places[2 * a] || 1e-3 * (b - a);
        const dy = places[2 * b + 1] - places[2 * a + 1];
        const distance = Math.hypot(dx, dy);
        const missing = radii[a] + radii[b] + APART - distance;
        if (missing <= 0) continue;
        moved = true;
        const share = radii[b] / (radii[a] + radii[b]); // the smaller one gives way
        places[2 * a] -= (dx / distance) * missing * share;
        places[2 * a + 1] -= (dy / distance) * missing * share;
        places[2 * b] += (dx / distance) * missing * (1 - share);
        places[2 * b + 1] += (dy / distance) * missing * (1 - share);
      }
    if (!moved) break;
  }
  return places;
};

const groupsOf = (community) => {
  const groups = new Map();
  community.forEach((id, node) => groups.has(id) ? groups.get(id).push(node) : groups.set(id, [node]));
  return [...groups.values()].sort((a, b) => b.length - a.length || a[0] - b[0]);
};

// Communities of one or two nodes have no shape: they are gathered in discs of their own, at the rim.
const gatherSmall = (groups) => {
  const large = groups.filter((nodes) => nodes.length > 2);
  const small = groups.filter((nodes) => nodes.length <= 2).flat();
  const size = Math.max(40, Math.ceil(Math.sqrt(small.length) * 4));
  for (let at = 0; at < small.length; at += size) large.push(small.slice(at, at + size));
  return large;
};

const arrangeMap = (count, source, target, weight, community, tell) => {
  const groups = gatherSmall(groupsOf(community));
  const groupOf = new Int32Array(count);
  const within = new Int32Array(count); // position of a node in its group
  groups.forEach((nodes, group) => nodes.forEach((node, at) => {
    groupOf[node] = group;
    within[node] = at;
  }));
  const inner = groups.map(() => []);
  const outer = new Map();
  for (let at = 0; at < source.length; at++) {
    const [a, b] = [groupOf[source[at]], groupOf[target[at]]];
    if (source[at] === target[at]) continue;
    if (a === b) inner[a].push([within[source[at]], within[target[at]], weight[at]]);
    else {
      const key = Math.min(a, b) * groups.length + Math.max(a, b);
      outer.set(key, (outer.get(key) || 0) + weight[at]);
    }
  }
  const radii = groups.map((nodes) => APART * Math.sqrt(nodes.length) + APART);
  const discs = placeDiscs(radii, [...outer].map(([key, sum]) => [Math.floor(key / groups.length), key % groups.length, Math.log1p(sum)]));
  const places = new Float32Array(count * 2);
  const rounds = Math.max(8, Math.min(80, Math.round(WORK / count)));
  let done = 0;
  groups.forEach((nodes, group) => {
    const own = spiral(nodes.length);
    if (inner[group].length) relax(own, inner[group], rounds, {});
    const filled = fillDisc(own);
    nodes.forEach((node, at) => {
      places[2 * node] = discs[2 * group] + filled[2 * at];
      places[2 * node + 1] = discs[2 * group + 1] + filled[2 * at + 1];
    });
    done += nodes.length;
    tell(done / count);
  });
  return places;
};

// Arrange a graph as a whole. New nodes start beside a neighbour that has a place.
const arrangeWhole = (count, source, target, weight, knownX, knownY) => {
  const places = spiral(count);
  const fixed = Array.from({ length: count }, (_, node) => Number.isFinite(knownX[node]));
  fixed.forEach((is, node) => is && places.set([knownX[node], knownY[node]], 2 * node));
  for (let at = 0; at < source.length; at++)
    for (const [a, b] of [[source[at], target[at]], [target[at], source[at]]])
      if (fixed[a] && !fixed[b]) {
        const angle = b * GOLDEN;
        places.set([places[2 * a] + 3 * APART * Math.cos(angle), places[2 * a + 1] + 3 * APART * Math.sin(angle)], 2 * b);
      }
  const edges = Array.from(source, (one, at) => [one, target[at], weight[at]]).filter(([a, b]) => a !== b);
  const isFixed = fixed.some(Boolean);
  relax(places, edges, isFixed ? 120 : 400, { scalingRatio: 60, gravity: 0.03 }, isFixed ? fixed : null);
  return Float32Array.from(places);
};

self.onmessage = ({ data: { job, count, source, target, x, y } }) => {
  const tell = (share) => self.postMessage({ job, share });
  const weight = weigh(count, source, target);
  const community = findCommunities(count, source, target, weight);
  const isMap = count > MAP_FROM && !x.some(Number.isFinite);
  const places = isMap
    ? arrangeMap(count, source, target, weight, community, tell)
    : arrangeWhole(count, source, target, weight, x, y);
  self.postMessage({ job, places, community }, [places.buffer, community.buffer]);
};
