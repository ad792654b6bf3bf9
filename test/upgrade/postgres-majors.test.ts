import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  clientOf,
  reservePort,
  startProgram,
  waitFor,
  type GatewayClient,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";

import { buildWithPostgres } from "./support/older-postgres.ts";

const current = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The last version before the one that Carillon embeds; earlier ones lack the locale provider that `npm start` uses.
 */
const version = "17.10.0-beta.17";
const [major] = version.split(".");

/** Moves the data of `npm start` to a newer PostgreSQL as docs/operating.md describes. */
describe("The database of npm start", function () {
  this.timeout(200_000);
  let folder: string;
  let started: TestProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-majors-"));
    started = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((one) => one.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  const run = (build: string, file: string, args: string[], dataDir: string, ports = {}) => {
    const variables = { DATA_DIR: join(folder, dataDir), DEMO: "off", ...ports };
    const made = startProgram(process.execPath, [join(build, file), ...args], variables, {
      cwd: folder,
    });
    started.push(made);
    return made;
  };
  const carillon = async (build: string, dataDir: string, ...words: string[]) => {
    const made = run(build, "apps/cli/dist/main.js", words, dataDir);
    const { code } = await made.exit;
    expect(code, made.output()).to.equal(0);
  };
  /** Runs `npm start` in that build until it serves. */
  const serve = async (build: string, dataDir: string) => {
    const [gateway, dashboard] = await Promise.all([reservePort(), reservePort()]);
    const ports = { PORT: String(gateway), DASHBOARD_PORT: String(dashboard) };
    const made = run(build, "apps/standalone/dist/main.js", [], dataDir, ports);
    await waitFor(() => made.output().includes("Carillon is running") || !made.running(), {
      what: "it serves",
    });
    expect(made.running(), made.output()).to.equal(true);
    return { made, url: `http://127.0.0.1:${gateway}` };
  };
  const owner = async (url: string) => {
    const text = await readFile(join(folder, "older/zuliprc/owner.zuliprc"), "utf8");
    const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
    return clientOf(url, { email: field("email"), apiKey: field("key") });
  };

  it(`of PostgreSQL ${major} is refused and not touched, and is moved by backup and restore`, async function () {
    const build = join(folder, "build");
    if (!(await buildWithPostgres(version, build))) this.skip();
    const before = await serve(build, "older");
    const wanted = await write(await owner(before.url));
    await before.made.stop();

    const refused = run(current, "apps/standalone/dist/main.js", [], "older");
    expect((await refused.exit).code).to.equal(1);
    expect(refused.output()).to.include(`a database of PostgreSQL ${major}`);
    expect(refused.output()).to.include("carillon backup");

    const backup = join(folder, "backup.gz");
    await carillon(build, "older", "backup", backup);
    const { SECRET_KEY } = JSON.parse(
      await readFile(join(folder, "older/secrets.json"), "utf8"),
    ) as { SECRET_KEY: string };
    const key = join(folder, "key");
    await writeFile(key, SECRET_KEY, { mode: 0o600 });
    await carillon(current, "newer", "restore", backup, "--secret-key-file", key);

    const after = await serve(current, "newer");
    const client = await owner(after.url);
    await waitFor(async () => (await read(client)).length >= wanted.length, {
      what: "what was scheduled is sent",
    });
    expect(await read(client)).to.deep.equal(wanted);
  });
});

/** Expects the messages in the order of sending: earlier ones, and one that becomes due during or after the move. */
async function write(client: GatewayClient): Promise<string[]> {
  const { body } = await client.get("/api/v1/users/me");
  const toSelf = { type: "direct", to: [Number(body["user_id"])] };
  for (const content of ["First", "Zweite — ¿sí? 💡"])
    await sent(client.post("/api/v1/messages", { ...toSelf, content }));
  const soon = Math.floor(Date.now() / 1_000) + 15;
  const scheduled = { ...toSelf, content: "Later", scheduled_delivery_timestamp: soon };
  await sent(client.post("/api/v1/scheduled_messages", scheduled));
  return ["First", "Zweite — ¿sí? 💡", "Later"];
}

async function sent(answer: ReturnType<GatewayClient["post"]>): Promise<void> {
  const { status, text } = await answer;
  expect(status, text).to.equal(200);
}

async function read(client: GatewayClient): Promise<string[]> {
  const { body } = await client.get("/api/v1/messages", {
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: "is", operand: "dm" }],
  });
  return (body["messages"] as Array<{ content: string; sender_email: string }>)
    .filter(({ sender_email: sender }) => sender.startsWith("owner@"))
    .map(({ content }) => content);
}
