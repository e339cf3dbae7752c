// Prints which functions of a JavaScript tree call which while its programs run: `node trace_calls.js TREE WORK > CALLS.json`.
//
// Each .js, .mjs and .cjs file at the top of TREE is a program and runs on its own, for 20 seconds at most. WORK is emptied, and gets
// a copy of TREE in which each function first reports itself. Needs acorn and acorn-walk from npm. TREE is run: trust it.
//
// The result is {"functions": {FILE: [[START LINE, END LINE], …]}, "programs": {FILE: [[FILE, FUNCTION, FILE, FUNCTION], …]}}: caller
// and called function, by their number in "functions", in the order of their text; -1 is the code outside of functions. A function
// that the language calls later (timers, promises) is called by whoever handed it over. What a package under node_modules does
// counts as outside. tests/oracles/score_trace.py compares this with the graph.
'use strict';
const fs = require('fs');
const path = require('path');

const SOURCE = /\.(js|mjs|cjs)$/;

function filesOf(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const whole = path.join(folder, entry.name);
    return entry.isDirectory() ? filesOf(whole) : [whole];
  });
}

function parse(text) {
  const acorn = require('acorn');
  for (const sourceType of ['script', 'module']) {
    try {
      return acorn.parse(text, { ecmaVersion: 'latest', sourceType, allowHashBang: true, locations: true, allowReturnOutsideFunction: true });
    } catch {
      continue;
    }
  }
  return null;
}

// Return the text in which each function reports itself, its functions, and where text was put in.
function instrument(file, text) {
  const tree = parse(text);
  if (!tree) return null;
  const functions = [];
  const inserted = [];
  require('acorn-walk').full(tree, (node) => {
    if (!/Function/.test(node.type) || !node.body) return;
    functions.push({ start: node.start, end: node.end, lines: [node.loc.start.line, node.loc.end.line] });
    const report = `__entered(${JSON.stringify(file)},${node.start})`;
    if (node.body.type === 'BlockStatement') {
      const directives = node.body.body.filter((statement) => statement.directive);
      inserted.push([directives.length ? directives.at(-1).end : node.body.start + 1, `;${report};`]);
    } else {
      inserted.push([node.body.start, `(${report},(`], [node.body.end, '))']);
    }
  });
  inserted.sort((one, other) => one[0] - other[0]);
  functions.sort((one, other) => one.start - other.start);
  let result = '';
  let done = 0;
  const shifts = [];
  for (const [at, added] of inserted) {
    result += text.slice(done, at);
    done = at;
    shifts.push([result.length, added.length]);
    result += added;
  }
  return { text: result + text.slice(done), functions, shifts };
}

function prepare(tree, work) {
  fs.rmSync(work, { recursive: true, force: true });
  const known = {};
  for (const from of filesOf(tree)) {
    const file = path.relative(tree, from);
    const to = path.join(work, file);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    const made = SOURCE.test(file) && !file.includes('node_modules') ? instrument(file, fs.readFileSync(from, 'utf8')) : null;
    if (made) {
      fs.writeFileSync(to, made.text);
      known[file] = made;
    } else {
      fs.copyFileSync(from, to);
    }
  }
  return known;
}

function main() {
  const [tree, work] = process.argv.slice(2).map((folder) => path.resolve(folder));
  const known = prepare(tree, work);
  const map = path.join(work, '.trace-map.json');
  fs.writeFileSync(map, JSON.stringify(known));
  const programs = {};
  for (const file of Object.keys(known).filter((name) => !name.includes('/'))) {
    const calls = path.join(work, '.trace-calls.json');
    fs.rmSync(calls, { force: true });
    require('child_process').spawnSync('node', ['--require', __filename, file], {
      cwd: work, env: { ...process.env, TRACE_MAP: map, TRACE_CALLS: calls }, timeout: 20_000, stdio: 'ignore',
    });
    if (!fs.existsSync(calls)) continue;
    const number = (name, start) => known[name].functions.findIndex((found) => found.start === start);
    programs[file] = JSON.parse(fs.readFileSync(calls, 'utf8')).map(([from, caller, to, called]) => [from, number(from, caller), to, number(to, called)]);
  }
  const functions = Object.fromEntries(Object.entries(known).map(([name, made]) => [name, made.functions.map((found) => found.lines)]));
  console.log(JSON.stringify({ functions, programs }));
}

// Inside of a program: collect the calls, and write them at its end.
function trace() {
  const known = JSON.parse(fs.readFileSync(process.env.TRACE_MAP, 'utf8'));
  const root = path.dirname(process.env.TRACE_MAP) + path.sep;
  const calls = new Set();
  const handed = []; // who handed over the functions that the language is calling now
  const lineStarts = {};
  Error.stackTraceLimit = 60;

  function offset(file, line, column) {
    const { text, shifts } = known[file];
    lineStarts[file] ??= [0, ...[...text.matchAll(/\n/g)].map((found) => found.index + 1)];
    const position = lineStarts[file][line - 1] + column - 1;
    let added = 0;
    for (const [at, length] of shifts) {
      if (at > position) break;
      added += Math.min(length, position - at);
    }
    return position - added;
  }

  function around(file, at) {
    const inside = known[file].functions.filter((found) => found.start <= at && at < found.end);
    return inside.length ? inside.at(-1).start : -1; // sorted by start: the last one is the innermost
  }

  // Return the functions that are running, [file, start], innermost first; for one of a package undefined.
  function running(below) {
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_, sites) => sites;
    const holder = {};
    Error.captureStackTrace(holder, below);
    const sites = holder.stack;
    Error.prepareStackTrace = before;
    const found = [];
    for (const site of sites) {
      let name = site.getFileName() ?? '';
      if (name.startsWith('file://')) name = decodeURI(name.slice(7));
      if (name === __filename) {
        if ((site.getFunctionName() ?? '').includes('calledLater')) found.push(handed.at(-1));
        continue;
      }
      if (!name.startsWith(root)) continue;
      const file = name.slice(root.length);
      if (site.isAsync()) break;
      found.push(known[file] && [file, around(file, offset(file, site.getLineNumber(), site.getColumnNumber()))]);
    }
    return found;
  }

  globalThis.__entered = function entered(file, start) {
    const caller = running(entered)[1]; // the first one is the function itself
    if (caller) calls.add(JSON.stringify([...caller, file, start]));
  };

  function remember(callback, by) {
    if (typeof callback !== 'function' || !by) return callback;
    return function calledLater(...values) {
      handed.push(by);
      try {
        return new.target ? Reflect.construct(callback, values) : callback.apply(this, values);
      } finally {
        handed.pop();
      }
    };
  }

  function follow(owner, name, positions) {
    const original = owner[name];
    const value = function (...values) {
      const by = running(value)[0];
      for (const position of positions) if (position < values.length) values[position] = remember(values[position], by);
      return original.apply(this, values);
    };
    Object.defineProperty(owner, name, { value, writable: true, configurable: true });
  }

  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) follow(globalThis, name, [0]);
  follow(process, 'nextTick', [0]);
  follow(Promise.prototype, 'then', [0, 1]); // `catch` calls it
  follow(Promise.prototype, 'finally', [0]);
  process.on('uncaughtException', () => {}); // the calls until then count
  process.on('exit', () => fs.writeFileSync(process.env.TRACE_CALLS, `[${[...calls].join(',')}]`));
}

if (process.env.TRACE_MAP) trace();
else main();
