// What the page needs: the graph and its renderer.
export { default as Graph } from "graphology";
export { default as Sigma } from "sigma";
export { EdgeLineProgram, NodePointProgram } from "sigma/rendering";
