import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { prepare } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { capture, steps } from "./lib/run.mjs";

// npm run check: all checks except the test suites. Prints one line for each check, failures at the end.
const node = process.execPath;
const tool = (path) => join(root, "node_modules", path);
const tsc = tool("typescript/bin/tsc");
const projects = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => join(group, name)),
);
const boundaries = join("test", "boundaries");

/** Name and commands; a check is skipped if the file it needs does not exist. */
const checks = [
  { name: "checksums", commands: [["scripts/generate-checksums.mjs", "--check"]] },
  {
    name: "types",
    commands: [
      [tsc, "--build", ...projects],
      [tsc, "--project", "tsconfig.test.json"],
    ],
  },
  { name: "lint", commands: [[tool("oxlint/bin/oxlint"), "--deny-warnings"]] },
  { name: "format", commands: [[tool("oxfmt/bin/oxfmt"), "--check"]] },
  {
    name: "boundaries",
    needs: boundaries,
    commands: [[tool("mocha/bin/mocha.js"), "--reporter=dot", `${boundaries}/**/*.test.ts`]],
  },
  {
    name: "generated",
    needs: join("scripts", "generate-docs.mjs"),
    commands: [["scripts/generate-docs.mjs", "--check"]],
  },
];

await steps(async () => {
  await prepare();
  const failures = [];
  for (const { name, needs, commands } of checks) {
    if (needs !== undefined && !hasFiles(join(root, needs))) continue;
    const startedAt = performance.now();
    let failed = false;
    for (const command of commands) {
      const { code, output } = await capture(node, command);
      if (code === 0) continue;
      failed = true;
      failures.push(`--- ${name}\n${output.trim()}`);
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${failed ? "FAILED" : "ok"} ${name} ${seconds}s`);
  }
  if (failures.length === 0) return;
  console.error(`\n${failures.join("\n\n")}`);
  process.exit(1);
});

function hasFiles(path) {
  return existsSync(path) && (path.endsWith(".mjs") || readdirSync(path).length > 0);
}
