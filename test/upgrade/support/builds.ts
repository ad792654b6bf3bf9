import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  clientOf,
  installation,
  startProgram,
  type GatewayClient,
  type TestProcess,
  type Variables,
} from "@carillon/testkit";

/** One of the two builds of an upgrade; starts its own processes. */
export interface Build {
  /** Migrates, and creates the first organization if there is none. */
  prepare(): Promise<void>;
  gateway(): Promise<TestProcess & { url: string }>;
  worker(): Promise<TestProcess>;
}

/** Two builds on one database, with one secret. */
export interface Installation {
  readonly release: Build;
  readonly current: Build;
  /** Returns a client of the owner that the first `prepare` created. */
  owner(gateway: { readonly url: string }): Promise<GatewayClient>;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));

export async function install(databaseUrl: string, redisUrl?: string): Promise<Installation> {
  const release = process.env["CARILLON_TEST_RELEASE"];
  if (!release)
    throw new Error("run it with `npm run test:upgrade`, which builds the last release");
  const dataDir = await mkdtemp(join(tmpdir(), "carillon-upgrade-"));
  const variables = { ...installation(databaseUrl, redisUrl), DATA_DIR: dataDir };
  const started: TestProcess[] = [];
  const run = (folder: string, file: string, more: Variables = {}) => {
    const made = startProgram(
      process.execPath,
      [join(folder, file)],
      { ...variables, ...more },
      { cwd: folder },
    );
    started.push(made);
    return made;
  };
  const buildIn = (folder: string): Build => ({
    async prepare() {
      const files = ["apps/standalone/dist/prepare-main.js", "docker/prepare.mjs"];
      const file = files.find((one) => existsSync(join(folder, one)));
      if (!file) throw new Error(`${folder} has none of ${files.join(", ")}`);
      const made = run(folder, file, { DEMO: "off" });
      const { code } = await made.exit;
      if (code !== 0) throw new Error(`prepare ended with ${code}: ${made.output()}`);
    },
    async gateway() {
      const made = run(folder, "apps/gateway/dist/main.js");
      const line = await made.waitForLine("gateway started");
      return Object.assign(made, { url: `http://127.0.0.1:${String(line["port"])}` });
    },
    async worker() {
      const made = run(folder, "apps/worker/dist/main.js");
      await made.waitForLine("worker started");
      return made;
    },
  });
  return {
    release: buildIn(release),
    current: buildIn(root),
    async owner({ url }) {
      const text = await readFile(join(dataDir, "zuliprc/owner.zuliprc"), "utf8");
      const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
      return clientOf(url, { email: field("email"), apiKey: field("key") });
    },
    async close() {
      await Promise.all(started.map((one) => one.kill()));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
