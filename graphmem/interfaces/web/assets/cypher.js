// Completion in the Cypher console: labels after `(x:`, types of relations after `[r:`, properties after `x.` by the label of
// x, otherwise keywords and all of these; at the start, also named queries. The editor shows what its language offers, so
// that is where the names are added. And the key that runs the query.
(() => {
  const KEYWORDS = ("MATCH,OPTIONAL MATCH,WHERE,RETURN,RETURN DISTINCT,ORDER BY,LIMIT,SKIP,WITH,UNWIND,UNION ALL,AND,OR,NOT,IN," +
    "IS NULL,IS NOT NULL,CONTAINS,STARTS WITH,ENDS WITH,AS,DESC,count(*),collect(,coalesce(,label(").split(",");
  const options = (names, type) => names.map((label) => ({ label, type }));

  // The names that fit before the position, and where the word begins that they complete; null if there is nothing to say.
  const fitting = (before, schema) => {
    const word = /[\w가-힣]*$/.exec(before)[0];
    const from = before.length - word.length;
    const head = before.slice(0, from);
    const named = /(\w+)\.$/.exec(head);
    if (named) {
      const label = [...before.matchAll(/[([]\s*(\w+)\s*:\s*(\w+)/g)].filter((one) => one[1] === named[1]).pop();
      const known = label && (schema.nodes[label[2]] || schema.relations[label[2]]);
      return { from, options: options(known || schema.properties, "property") };
    }
    if (/\[[^\]]*[:|]\s*$/.test(head)) return { from, options: options(Object.keys(schema.relations), "type") };
    if (/\([^)]*[:|]\s*$/.test(head)) return { from, options: options(Object.keys(schema.nodes), "class") };
    if (word.length < 2) return null;
    const whole = head.trim() ? [] : schema.queries; // at the start, also queries by their names
    return { from, options: [...whole, ...options(KEYWORDS, "keyword"), ...options(Object.keys(schema.nodes), "class")] };
  };

  const complete = async (id, schema) => {
    const { EditorState, StateEffect } = await import("nicegui-codemirror");
    const component = getElement(id);
    if (!component) return; // another page was opened meanwhile
    if (!component.editor) await component.editorPromise;
    const source = (context) => fitting(context.state.doc.sliceString(0, context.pos), schema);
    const data = EditorState.languageData.of(() => [{ autocomplete: source }]);
    component.editor.dispatch({ effects: StateEffect.appendConfig.of(data) });
  };
  // Ctrl+Enter runs the query. The editor would add a line, so it does not get the key.
  const run = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !event.target.closest(".gm-editor")) return;
    event.preventDefault();
    event.stopPropagation();
    document.querySelector("[data-run]")?.click();
  };
  document.addEventListener("keydown", run, true);
  window.graphmem = { ...window.graphmem, complete };
})();
