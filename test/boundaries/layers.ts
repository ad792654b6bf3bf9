/**
 * The packages, from the lowest layer to the highest. A package may import packages of its own and lower layers, only
 * those in its package.json, and never in a cycle. Apps are above all packages and import no other app.
 */
export const layers: readonly (readonly string[])[] = [
  ["kit", "client"],
  [
    "contract",
    "jobs",
    "mail",
    "push",
    "outgoing",
    "files",
    "embedded",
    "images",
    "markdown",
    "calendar",
  ],
  ["db", "queue"],
  ["outbox", "scheduling", "events", "backup", "transfer"],
  ["model", "domain", "moving"],
  [
    "apps/gateway",
    "apps/worker",
    "apps/dashboard",
    "apps/bouncer",
    "apps/cli",
    "apps/standalone",
    "apps/web",
  ],
];

/** Workspaces that import only these of our packages: the browser client uses nothing but the public API. */
export const restricted: ReadonlyMap<string, readonly string[]> = new Map([
  ["apps/web", ["client"]],
]);

/** External modules that only some workspaces import. */
export const reserved: ReadonlyArray<{ names: RegExp; only: readonly string[] }> = [
  { names: /^(koa|koa-.+|@koa\/.+)$/, only: ["apps/gateway", "apps/dashboard", "apps/bouncer"] },
  { names: /^@bull-board\//, only: ["apps/dashboard"] },
  { names: /^(bullmq|ioredis)(\/|$)/, only: ["packages/queue"] },
  { names: /^temporal-polyfill(\/|$)/, only: ["packages/calendar"] },
  { names: /^chrono-node(\/|$)/, only: ["packages/domain"] },
  { names: /^nodemailer(\/|$)/, only: ["packages/mail"] },
  { names: /^undici(\/|$)/, only: ["packages/push", "packages/outgoing", "apps/bouncer"] },
  { names: /^(libsodium|sodium)-/, only: ["packages/push"] },
  { names: /^@aws-sdk\//, only: ["packages/files"] },
  { names: /^sharp$/, only: ["packages/images"] },
  { names: /^@tus\//, only: ["apps/gateway"] },
  { names: /^(preact|@preact\/.+|virtua)(\/|$)/, only: ["apps/web"] },
  { names: /^@prisma\/client(\/|$)/, only: ["packages/db"] },
];
