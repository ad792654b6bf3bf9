import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.mjs";
import { StepError } from "./run.mjs";

/** Files that processes read besides their bundles. */
const files = [
  "package.json",
  "LICENSE",
  "prisma/migrations",
  "packages/push/migrations",
  "docker/health.mjs",
  // Holds the version that processes report.
  "packages/kit/package.json",
  "apps/cli/bin",
  "packages/images/decoder",
  "packages/domain/estimator",
];

/** External packages: their importers, and the files that are needed. */
const modules = [
  { name: "@bull-board/ui", asked: "apps/dashboard", files: /^dist\// },
  {
    name: "@prisma/client",
    asked: "packages/db",
    files: /^runtime\/query_compiler_\w+_bg\.postgresql\./,
  },
  {
    name: "@codemirror/legacy-modes",
    asked: "packages/markdown",
    files: /^mode\/.*\.cjs$|^LICENSE$/,
  },
  {
    name: "@codemirror/streamparser",
    asked: "packages/markdown",
    files: /^dist\/index\.cjs$|^LICENSE$/,
  },
  { name: "katex", asked: "packages/markdown", files: /^dist\/katex\.(js|mjs)$/ },
  { name: "libsodium-wrappers", asked: "packages/push", files: /^dist\/modules(-esm)?\/.*js$/ },
  {
    name: "swagger-ui-dist",
    asked: "apps/gateway",
    files: /^(swagger-ui(-bundle\.js|\.css)|LICENSE|NOTICE)$/,
  },
  { name: "libsodium", asked: "packages/push", files: /^dist\/modules(-esm)?\// },
  { name: "sharp", asked: "packages/images", files: /^(dist\/.*\.mjs|LICENSE)$/ },
  { name: "@img/colour", asked: "packages/images", files: /\.cjs$/ },
  { name: "detect-libc", asked: "packages/images", files: /^lib\/.*\.js$/ },
  {
    name: "semver",
    asked: "packages/images",
    files: /^(classes|functions|internal|ranges)\/|^index\.js$/,
  },
  { name: "@zxcvbn-ts/core", asked: "packages/domain", files: /^dist\/.*\.cjs$/ },
  { name: "@zxcvbn-ts/language-common", asked: "packages/domain", files: /^dist\/.*\.cjs$/ },
  { name: "@zxcvbn-ts/language-en", asked: "packages/domain", files: /^dist\/.*\.cjs$/ },
  { name: "@zxcvbn-ts/dictionary-compression", asked: "packages/domain", files: /^dist\/.*\.cjs$/ },
  { name: "fastest-levenshtein", asked: "packages/domain", files: /^mod\.js$/ },
  ...binariesOfSharp(),
];

/** Lists the packages with the binaries of sharp that npm has installed for this platform. */
function binariesOfSharp() {
  const folder = join(root, "node_modules/@img");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith("sharp-"))
    .map((name) => ({
      name: `@img/${name}`,
      asked: "packages/images",
      files: /^(index\.cjs|versions\.json|LICENSE|README\.md|lib\/.*)$/,
    }));
}

/**
 * Copies what runs in a container into a folder: the bundles of every app, the migrations, and external packages. No
 * compilers, sources or tests.
 * @param {string} folder created if missing
 * @throws StepError when a file has not been built or installed
 */
export function shipTo(folder) {
  for (const file of files) take(file, folder);
  for (const app of readdirSync(join(root, "apps"))) {
    take(`apps/${app}/dist`, folder);
    take(`apps/${app}/package.json`, folder);
  }
  for (const { name, asked, files: wanted } of modules) {
    const from = installed(name, asked);
    take(join(from, "package.json"), folder);
    const found = readdirSync(join(root, from), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, from).length + 1))
      .filter((file) => wanted.test(file));
    if (found.length === 0) throw new StepError(`no file of ${from} matches ${String(wanted)}`);
    for (const file of found) take(join(from, file), folder);
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.log(`Carillon ${version} is in ${folder}.`);
}

/** Returns where npm has installed a package: in the folder's own node_modules or the root's. */
function installed(name, asked) {
  const own = join(asked, "node_modules", name);
  return existsSync(join(root, own)) ? own : join("node_modules", name);
}

function take(path, folder) {
  const from = join(root, path);
  if (!existsSync(from)) throw new StepError(`${path} is missing: run npm run build first`);
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(from, join(folder, path), { recursive: true });
}
