import { dirname, join } from "node:path/posix";
import type { SourceFile } from "./source-files.ts";

/** Which of our packages each package may import: always downwards, so that there is no way round. */
const below: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contract: ["kit"],
  jobs: ["kit"],
  embedded: ["kit"],
  mail: ["kit"],
  push: ["kit"],
  db: ["kit"],
  queue: ["kit", "jobs"],
  outbox: ["kit", "jobs", "db"],
  scheduling: ["kit", "jobs", "db", "outbox"],
  backup: ["kit", "db", "scheduling"],
  markdown: ["kit"],
  events: ["kit", "contract", "jobs", "db", "scheduling"],
  model: ["kit", "contract", "db", "markdown"],
  domain: [
    "kit",
    "contract",
    "jobs",
    "db",
    "outbox",
    "scheduling",
    "events",
    "markdown",
    "model",
    "mail",
    "push",
  ],
};

/** What one app may import besides. */
const only: Readonly<Record<string, readonly string[]>> = {
  standalone: ["embedded"],
  cli: ["backup", "embedded"],
};

const forApps = [
  "kit",
  "contract",
  "jobs",
  "db",
  "outbox",
  "scheduling",
  "mail",
  "push",
  "markdown",
  "events",
  "queue",
  "model",
  "domain",
];

/** What only some may import, and who. */
const reserved: ReadonlyArray<{ what: string; names: RegExp; only: readonly string[] }> = [
  {
    what: "Koa",
    names: /^(koa|koa-.+|@koa\/.+|@types\/koa)$/,
    only: ["apps/gateway", "apps/dashboard", "apps/bouncer"],
  },
  {
    what: "nodemailer",
    names: /^(nodemailer(\/.*)?|@types\/nodemailer)$/,
    only: ["packages/mail"],
  },
  { what: "undici", names: /^undici(\/|$)/, only: ["packages/push", "apps/bouncer"] },
  { what: "libsodium", names: /^(libsodium|sodium)-/, only: ["packages/push"] },
  { what: "BullMQ", names: /^bullmq(\/|$)/, only: ["packages/queue"] },
  { what: "bull-board", names: /^@bull-board\//, only: ["apps/dashboard"] },
  { what: "Prisma Client", names: /^@prisma\/client(\/|$)/, only: ["packages/db"] },
  { what: "the generated client", names: /(^|\/)generated\//, only: ["packages/db"] },
];

/** What breaks the boundaries, one line each: file, import, rule. */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const broken = file.imports.flatMap((name) => {
      const rule = brokenBy(file, name);
      return rule ? [`${file.path} imports ${name}: ${rule}`] : [];
    });
    if (file.readsEnvironment && !isTest(file) && !inside(file, ["packages/kit", "scripts"])) {
      broken.push(`${file.path} reads process.env: only kit does`);
    }
    return broken;
  });
}

function brokenBy(file: SourceFile, name: string): string | undefined {
  if (inside(file, ["scripts"])) return undefined;
  const own = workspaceOf(file.path);
  if (name.startsWith(".")) {
    const target = workspaceOf(join(dirname(file.path), name));
    if (own !== target) return "another package is imported by its name";
  }
  const ours = /^@carillon\/([^/]+)(\/.*)?$/.exec(name);
  if (ours) return brokenByOurs(file, ours[1] ?? "", ours[2]);
  // Only the way it is used counts in tests: they may drive Koa, BullMQ or Prisma to check what we do.
  if (isTest(file)) return undefined;
  for (const { what, names, only } of reserved) {
    if (names.test(name) && !inside(file, only)) return `only ${only.join(", ")} may use ${what}`;
  }
  return undefined;
}

function brokenByOurs(
  file: SourceFile,
  name: string,
  path: string | undefined,
): string | undefined {
  if (path) return "a package is imported as a whole, not by a path inside of it";
  if (name === "testkit") return isTest(file) ? undefined : "only tests import testkit";
  const [group, own = ""] = (workspaceOf(file.path) ?? "").split("/");
  const isPackage = name in below;
  // The tests in test/ and bench/ look at everything, testkit starts it.
  if (group === undefined || group === "" || own === "testkit") return undefined;
  if (!isPackage) return "nobody imports an app; testkit alone may";
  if (name === own) return "a package's own files are imported by their paths";
  const allowed = group === "apps" ? [...forApps, ...(only[own] ?? [])] : below[own];
  if (allowed?.includes(name)) return undefined;
  return `imports point one way, and ${own} may import ${allowed?.join(", ") || "none of ours"}`;
}

/** `packages/NAME` or `apps/NAME`; undefined for what lies elsewhere. */
function workspaceOf(path: string): string | undefined {
  return /^(?:packages|apps)\/[^/]+/.exec(path)?.[0];
}

function inside({ path }: SourceFile, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

/** Tests, and what only tests use. */
function isTest(file: SourceFile): boolean {
  return (
    inside(file, ["test", "bench", "packages/testkit"]) ||
    /\.test\.ts$|\/test-support(\.ts|\/)/.test(file.path)
  );
}
