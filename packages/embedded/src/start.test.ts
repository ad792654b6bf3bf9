import { StartupError, isAlive, silentLogger } from "@carillon/kit";
import { copyInitialisedDataDir, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { testSettings } from "./settings.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "./start.ts";

describe("the embedded PostgreSQL", () => {
  let folder: string;
  let running: EmbeddedPostgres[] = [];

  beforeEach(async () => {
    // Mode 0700 and, in the build, owned by root: the hardest place to run in.
    folder = await mkdtemp(join(tmpdir(), "carillon-embedded-"));
    running = [];
  });

  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Saves initialising the database, where the test is not about that. */
  const copyInitialised = () => copyInitialisedDataDir(join(folder, "var"));

  const start = async (
    dataDir = join(folder, "var"),
    settings = testSettings,
  ): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ dataDir, log: silentLogger, settings });
    running.push(server);
    return server;
  };

  it("starts in a folder that only its owner may enter and folds case beyond ASCII", async () => {
    const server = await start(join(folder, "deep", "var"));
    const [row] = await query(
      server.url,
      "SELECT lower('Ä') AS lower, rolsuper FROM pg_roles WHERE rolname = current_user",
    );
    expect(row).to.deep.equal({ lower: "ä", rolsuper: false });
    expect(server.adopted).to.equal(false);
  });

  it("makes secrets, log and data readable for its user only", async () => {
    await start();
    const modes = await Promise.all(
      ["", "secrets.json", "postgres.log", "postgres"].map(async (name) =>
        ((await stat(join(folder, "var", name))).mode & 0o777).toString(8),
      ),
    );
    expect(modes).to.deep.equal(["700", "600", "600", "700"]);
  });

  it("requires the password", async () => {
    await copyInitialised();
    const server = await start();
    const url = new URL(server.url);
    url.password = "wrong";
    expect(await refusal(query(url.href, "SELECT 1"))).to.match(/password authentication failed/);
    url.username = "postgres";
    expect(await refusal(query(url.href, "SELECT 1"))).to.match(/no pg_hba.conf entry/);
  });

  it("keeps rows, port and password over a restart", async () => {
    await copyInitialised();
    const first = await start();
    await query(first.url, "CREATE TABLE kept AS SELECT 7 AS n");
    await first.stop();
    await first.ended;
    const second = await start();
    expect(second.url).to.equal(first.url);
    expect(await query(second.url, "SELECT n FROM kept")).to.deep.equal([{ n: 7 }]);
  });

  it("takes another port when its own is taken", async () => {
    await copyInitialised();
    const first = await start();
    await first.stop();
    const other = (await import("node:net")).createServer();
    other.listen(Number(new URL(first.url).port), "127.0.0.1");
    await once(other, "listening");
    const second = await start();
    expect(new URL(second.url).port).not.to.equal(new URL(first.url).port);
    expect(await query(second.url, "SELECT 1 AS n")).to.deep.equal([{ n: 1 }]);
    other.close();
  });

  it("survives its owner's kill -9 and is adopted, even under load", async () => {
    await copyInitialised();
    const owner = await ownerProcess(join(folder, "var"));
    owner.process.kill("SIGKILL");
    await once(owner.process, "exit");
    expect(isAlive(owner.pid)).to.equal(true);

    const adopted = await start();
    expect(adopted).to.include({ adopted: true, pid: owner.pid, url: owner.url });
    expect(await query(adopted.url, "SELECT 1 AS n")).to.deep.equal([{ n: 1 }]);
    await adopted.stop();
    await adopted.ended;
    expect(isAlive(owner.pid)).to.equal(false);
  });

  it("does not receive the signals of its owner's terminal", async () => {
    await copyInitialised();
    const owner = await ownerProcess(join(folder, "var"), true);
    process.kill(-(owner.process.pid ?? 0), "SIGINT");
    await once(owner.process, "exit");
    expect(isAlive(owner.pid)).to.equal(true);
    expect((await start()).adopted).to.equal(true);
  });

  it("recovers all committed rows after the server was killed", async () => {
    await copyInitialised();
    const first = await start(undefined, {});
    await query(first.url, "CREATE TABLE kept AS SELECT 7 AS n");
    process.kill(first.pid, "SIGKILL");
    await first.ended;
    const second = await start();
    expect(second.adopted).to.equal(false);
    expect(await query(second.url, "SELECT n FROM kept")).to.deep.equal([{ n: 7 }]);
  });

  it("ignores a stale postmaster.pid whose process id has been reused", async () => {
    await copyInitialised();
    const first = await start();
    await first.stop();
    const record = join(folder, "var", "postgres", "postmaster.pid");
    const lines = [
      process.pid,
      join(folder, "var", "postgres"),
      1,
      1,
      "",
      "127.0.0.1",
      "",
      "ready",
    ];
    await writeFile(record, `${lines.join("\n")}\n`);
    const second = await start();
    expect(second.adopted).to.equal(false);
    expect(second.pid).not.to.equal(process.pid);
  });

  it("stops within its time limit while clients are connected", async () => {
    await copyInitialised();
    const server = await start();
    const client = new pg.Client(server.url);
    client.on("error", () => undefined);
    await client.connect();
    const sleeping = refusal(client.query("SELECT pg_sleep(600)"));
    await server.stop();
    expect(await sleeping).to.match(/terminating connection|Connection terminated/);
    expect(isAlive(server.pid)).to.equal(false);
  });

  it("initialises again after an interrupted initialisation", async () => {
    await mkdir(join(folder, "var", "postgres.new"), { recursive: true });
    await writeFile(join(folder, "var", "postgres.new", "half"), "");
    expect((await start()).adopted).to.equal(false);
  });

  it("names DATA_DIR when it cannot be written", async () => {
    await writeFile(join(folder, "file"), "");
    expect(await refusal(start(join(folder, "file", "var")))).to.match(
      /^DATA_DIR .*file\/var cannot be used \(ENOTDIR\): it must be a folder/,
    );
    expect(await refusal(start(join(folder, "file")))).to.match(/cannot be used \(EEXIST\)/);
    await symlink(join(folder, "nowhere"), join(folder, "link"));
    for (const path of ["link", join("link", "var")]) {
      expect(await refusal(start(join(folder, path)))).to.match(/cannot be used \(ENOENT\)/);
    }
    // Root may write everywhere.
    if (process.getuid?.() === 0) return;
    await chmod(folder, 0o500);
    expect(await refusal(start())).to.match(/^DATA_DIR .* cannot be used \(EACCES\)/);
    await chmod(folder, 0o700);
  });

  it("refuses data of another major version", async () => {
    await copyInitialised();
    const server = await start();
    await server.stop();
    await writeFile(join(folder, "var", "postgres", "PG_VERSION"), "15\n");
    expect(await refusal(start())).to.match(
      /^DATA_DIR holds a database of PostgreSQL 15, and this is PostgreSQL \d+: back it up with the version of Carillon before/,
    );
  });

  it("refuses a folder called postgres that is not a data directory", async () => {
    await mkdir(join(folder, "var", "postgres"), { recursive: true });
    expect(await refusal(start())).to.match(/^DATA_DIR holds .* not a PostgreSQL data directory/);
  });

  it("creates no new secrets for an existing database", async () => {
    await copyInitialised();
    const server = await start();
    await server.stop();
    await rm(join(folder, "var", "secrets.json"));
    expect(await refusal(start())).to.match(/secrets.json is gone/);
    await writeFile(join(folder, "var", "secrets.json"), "{");
    expect(await refusal(start())).to.match(/secrets.json is not a JSON object/);
  });

  it("reports the server's own message when it does not start", async () => {
    await copyInitialised();
    const server = await start();
    await server.stop();
    await writeFile(join(folder, "var", "postgres", "postgresql.conf"), "no_such_setting = 1\n");
    const words = await refusal(start());
    expect(words).to.match(/^the embedded PostgreSQL did not start: .*postgres\.log\)$/);
    expect(await readFile(join(folder, "var", "postgres.log"), "utf8")).to.include(
      "no_such_setting",
    );
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    const expected = error instanceof StartupError || error instanceof pg.DatabaseError;
    expect(
      expected || (error as Error).message.includes("Connection terminated"),
      String(error),
    ).to.equal(true);
    return (error as Error).message;
  }
  throw new Error("it was not refused");
}

/** Another process that starts the server and keeps running. */
async function ownerProcess(
  dataDir: string,
  ownGroup = false,
): Promise<{ process: ChildProcess; pid: number; url: string }> {
  const module = fileURLToPath(new URL("index.ts", import.meta.url));
  const script = `
    import { startEmbeddedPostgres, testSettings } from ${JSON.stringify(module)};
    import { silentLogger } from "@carillon/kit";
    const { pid, url } = await startEmbeddedPostgres({
      dataDir: ${JSON.stringify(dataDir)}, log: silentLogger, settings: testSettings,
    });
    console.log(JSON.stringify({ pid, url }));
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(
    process.execPath,
    ["--conditions=source", "--import=tsx", "--input-type=module", "--eval", script],
    {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
      detached: ownGroup,
    },
  );
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  const isOver = () => output.includes("\n") || child.exitCode !== null;
  await waitFor(isOver, { what: "the server has started", timeoutMs: 120_000 });
  if (child.exitCode !== null) throw new Error("no server was started");
  return { process: child, ...(JSON.parse(output) as { pid: number; url: string }) };
}
