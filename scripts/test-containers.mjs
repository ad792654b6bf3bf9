import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { pythonWith } from "./lib/python.mjs";
import { root } from "./lib/root.mjs";
import { runAttached, capture, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

// npm run test:containers: lints and parses the container files, and runs what the Dockerfile installs in an empty folder.
// The last line is `N passed, N failed, N skipped`.
await steps(async () => {
  const tools = await mkdtemp(join(tmpdir(), "carillon-tools-"));
  try {
    await build();
    const env = {};
    const found = [
      ["CARILLON_TEST_LINTERS", await linters()],
      ["CARILLON_TEST_COMPOSE", await compose(tools)],
      ["CARILLON_TEST_NODE", await nodeOfImage(tools)],
    ];
    for (const [name, { value, reason }] of found) {
      if (value) env[name] = value;
      else console.log(`${reason}: tests that need it are skipped.`);
    }
    process.exitCode = await runAttached(...suite("containers"), env);
  } finally {
    await rm(tools, { recursive: true, force: true });
  }
});

async function linters() {
  const { folder, reason } = await pythonWith("test/containers/linters.txt");
  return { value: folder, reason };
}

async function compose(tools) {
  if ((await capture("docker", ["compose", "version"])).code === 0)
    return { value: "docker compose config --format=json" };
  const parser = join(tools, "compose-parser");
  const source = join(root, "test/containers/compose-parser");
  const { code, output } = await capture("go", ["build", "-C", source, "-o", parser, "."]);
  if (code === 0) return { value: parser };
  const last = output.trim().split("\n").at(-1);
  return { reason: `docker compose is missing, and Go cannot build the parser (${last})` };
}

/** Installs the Node.js version of the Dockerfile's base image from npm. */
async function nodeOfImage(tools) {
  const text = readFileSync(join(root, "Dockerfile"), "utf8");
  const version = /^FROM node:(\d+\.\d+\.\d+)/m.exec(text)?.[1];
  const name = `node-${process.platform}-${process.arch}`;
  const { code, output } = await capture("npm", [
    "install",
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    `--prefix=${tools}`,
    `${name}@${version}`,
  ]);
  const folder = join(tools, "node_modules", name, "bin");
  if (code !== 0 || !existsSync(folder))
    return { reason: `npm has no ${name} ${version} (${output.trim().split("\n").at(-1)})` };
  return { value: folder };
}
