// Counts production code, tests and cycles of commits, for comparing them: npm run count -- COMMIT…
import { execFileSync } from "node:child_process";
import { posix } from "node:path";

const git = (args, input) => execFileSync("git", args, { input, maxBuffer: 1 << 30 });

/** Returns the text files of a commit by their paths. */
function filesOf(commit) {
  const entries = git(["ls-tree", "-r", commit]).toString().trimEnd().split("\n");
  const wanted = entries
    .map((line) => /^\d+ blob (\w+)\t(.*)$/.exec(line))
    .filter((found) => found && /\.(?:ts|tsx|mjs|md)$/.test(found[2]));
  const output = git(["cat-file", "--batch"], wanted.map((found) => found[1]).join("\n"));
  const files = new Map();
  let at = 0;
  for (const [, , path] of wanted) {
    const end = output.indexOf("\n", at);
    const size = Number(output.subarray(at, end).toString().split(" ")[2]);
    files.set(path, output.subarray(end + 1, end + 1 + size).toString());
    at = end + 1 + size + 1;
  }
  return files;
}

const isCode = (path) => /^(?:apps|packages)\/.*\.(?:ts|tsx|mjs)$/.test(path);
const isTest = (path) => /\.test\.|^packages\/testkit\/|\/test-support\//.test(path);
const isGenerated = (path) => /\/generated\/|\/(?:statement-rows|declared)\.ts$/.test(path);

const lines = (texts) => texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
const matches = (texts, pattern) =>
  texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);

const prismaCall =
  /\b\w*\.(?:findMany|findFirst|findUnique|findUniqueOrThrow|createMany|createManyAndReturn|updateMany|updateManyAndReturn|deleteMany|upsert|groupBy|aggregate)\(\s*(?:\{|\))|(?:prisma|client|\(\))\s*\.\w+\s*\.(?:create|update|delete|count)\(\s*\{/g;
const declaration = /\b(?:statement|composed)(?:<[^(]*>)?\(\s*(?:\{|\n)/g;

/** Returns the strongly connected components with more than one node. */
function cycles(edges) {
  let counter = 0;
  const stack = [];
  const state = new Map();
  const found = [];
  const visit = (node) => {
    const own = { index: counter, low: counter++, onStack: true };
    state.set(node, own);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      const other = state.get(next);
      if (!other) own.low = Math.min(own.low, visit(next).low);
      else if (other.onStack) own.low = Math.min(own.low, other.index);
    }
    if (own.low === own.index) {
      const members = stack.splice(stack.indexOf(node));
      for (const member of members) state.get(member).onStack = false;
      if (members.length > 1) found.push(members);
    }
    return own;
  };
  for (const node of edges.keys()) if (!state.has(node)) visit(node);
  return found;
}

/** Returns which node imports which, where `nodeOf` maps the path of a file to its node. */
function importsBetween(code, nodeOf) {
  const edges = new Map();
  for (const [path, text] of code)
    for (const [, target] of text.matchAll(/\bfrom\s+"(\.[^"]+)"/g)) {
      const from = nodeOf(path);
      const to = nodeOf(posix.join(posix.dirname(path), target));
      if (from === undefined || to === undefined || isNested(from, to)) continue;
      edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  return edges;
}

/** Whether one path contains the other. */
const isNested = (a, b) => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);

/** The folder directly below `src` that contains a file; undefined for a file directly in `src`. */
function folderOf(path) {
  const folders = posix.dirname(path).split("/");
  return folders.length > 3 ? folders.slice(0, 4).join("/") : undefined;
}

function count(commit) {
  const files = filesOf(commit);
  const code = [...files].filter(([path]) => isCode(path) && !isTest(path) && !isGenerated(path));
  const texts = code.map(([, text]) => text);
  const tests = [...files].filter(([path]) => isTest(path) || /^test\/.*\.ts$/.test(path));
  const meta = [...files].filter(([path]) => /^test\/(?:boundaries|contract)\//.test(path));
  return {
    commit: git(["rev-parse", "--short", commit]).toString().trim(),
    date: git(["log", "-1", "--format=%cs", commit]).toString().trim(),
    "production files": code.length,
    "production lines": lines(texts),
    "generated lines": lines(
      [...files].filter(([path]) => isCode(path) && isGenerated(path)).map(([, text]) => text),
    ),
    "test lines": lines(tests.map(([, text]) => text)),
    "files of saved snippets": code.filter(([path]) => /snippet/.test(path)).length,
    operations: matches(texts, /\boperation\(\{/g),
    "Prisma calls": matches(texts, prismaCall),
    "SQL declarations": matches(texts, declaration),
    "cycles of files": cycles(importsBetween(code, (path) => path)).length,
    "cycles of folders below src": cycles(importsBetween(code, folderOf)).length,
    "meta-test files": meta.filter(([path]) => path.endsWith(".test.ts")).length,
    "meta-test lines": lines(meta.map(([, text]) => text)),
    "CONTRIBUTING bytes": Buffer.byteLength(files.get("CONTRIBUTING.md") ?? ""),
  };
}

const commits = process.argv.slice(2);
for (const counted of (commits.length > 0 ? commits : ["HEAD"]).map(count)) console.table(counted);
