// What the worker needs: communities (Louvain) and positions (ForceAtlas2).
export { UndirectedGraph } from "graphology";
export { default as louvain } from "graphology-communities-louvain";
export { default as forceAtlas2 } from "graphology-layout-forceatlas2/iterate.js";
