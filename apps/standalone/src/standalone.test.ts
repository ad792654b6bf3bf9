import { bundle } from "@carillon/bundler";
import { deleteSecret, readSecret } from "@carillon/embedded";
import { isAlive } from "@carillon/kit";
import {
  copyInitialisedDataDir,
  reservePort,
  useDatabase,
  waitFor as waitUntil,
} from "@carillon/testkit";
import { expect } from "chai";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Waits until it is let go, as `runMain` does. */
const held = `
  if (process.env.CARILLON_PRELOADED) {
    const { variables } = await new Promise((resolve) => process.once("message", resolve));
    for (const [name, value] of Object.entries(variables))
      if (value === null) delete process.env[name]; else process.env[name] = value;
  }
`;

/** An app of a few lines: it serves `/health`, tells who it is, and ends as the real ones do. */
const standIn = `
  import { createServer } from "node:http";
  process.on("disconnect", () => process.exit(0));
  ${held}
  const name = process.argv[1].split("/").pop().split(".")[0];
  const { PORT: gateway, DASHBOARD_PORT: dashboard, BOUNCER_PORT: bouncer } = process.env;
  const port = { gateway, dashboard, bouncer }[name];
  const end = (why) => { console.log(JSON.stringify({ level: 30, msg: "stopping", why })); process.exit(0); };
  process.on("SIGTERM", () => end("SIGTERM"));
  process.on("SIGINT", () => end("SIGINT"));
  process.on("disconnect", () => end("parent gone"));
  const { DATABASE_URL: database, DATABASE_DIRECT_URL: direct } = process.env;
  console.log(JSON.stringify({ level: 30, msg: "up", database, direct, pid: process.pid }));
  const ofPush = Object.entries(process.env).filter(([name]) => /PUSH_|BOUNCER_/.test(name));
  console.log(JSON.stringify({ level: 30, msg: "push", host: process.env.HOST, ...Object.fromEntries(ofPush) }));
  if (port) {
    createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      if (request.url === "/health") return response.end("{}");
      if (request.url === "/pid") return response.end(String(process.pid));
      const known = request.headers.authorization?.startsWith("Basic ");
      response.end(JSON.stringify({ streams: known ? [{ name: "general", stream_id: 7 }] : [] }));
    }).listen(Number(port), "127.0.0.1");
  }
`;

const source = (name: string) =>
  JSON.stringify(fileURLToPath(new URL(`${name}.ts`, import.meta.url)));

/** The standalone with those for apps, which lie in FOLDER, and with an organization that is made at once. */
const main = `
  import { chooseApps } from ${source("apps")};
  import { runStandalone } from ${source("run")};
  const folder = process.env.FOLDER;
  await runStandalone({
    prepare: new URL("prepare-main.js", import.meta.url).pathname,
    chooseApps: (env, ports) => chooseApps(env, ports)
      .map((app) => ({ ...app, script: folder + "/" + app.name + ".mjs" })),
    print: (text) => console.log(text),
  });
`;

/** Leaves the credentials, and the database as it is. */
const prepare = `
  import { ensureFirstOrganization } from ${source("first-organization")};
  import { CredentialFiles } from ${source("zuliprc")};
  ${held}
  const { DATA_DIR, DEMO, PUBLIC_URL } = process.env;
  await ensureFirstOrganization({
    files: new CredentialFiles(DATA_DIR),
    planned: { demo: DEMO !== "off", owner: {} },
    site: PUBLIC_URL,
    create: () => Promise.resolve(true),
  });
  process.disconnect();
`;

/** Bundles both, as the build does with the real ones: they then start in a third of the time. */
async function bundlePrograms(folder: string): Promise<void> {
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "src", "main.ts"), main);
  await writeFile(join(folder, "src", "prepare-main.ts"), prepare);
  await bundle(folder);
}

describe("the standalone", () => {
  let programs: string;
  let folder: string;
  let runs: ChildProcess[];

  before(async () => {
    programs = await mkdtemp(join(tmpdir(), "carillon-standalone-programs-"));
    await bundlePrograms(programs);
  });

  after(() => rm(programs, { recursive: true, force: true }));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-standalone-"));
    runs = [];
    for (const name of ["gateway", "worker", "dashboard", "bouncer"]) {
      await writeFile(join(folder, `${name}.mjs`), standIn);
    }
  });

  afterEach(async () => {
    await Promise.all(
      runs.map(async (run) => {
        if (run.exitCode !== null || run.signalCode !== null) return;
        run.kill("SIGTERM");
        await once(run, "exit");
      }),
    );
    await rm(folder, { recursive: true, force: true });
  });

  const dataFile = (...names: string[]) => join(folder, "var", ...names);

  /** Saves initialising the database, where the test is not about the first start. */
  const copyInitialised = () => copyInitialisedDataDir(dataFile());

  const run = (variables: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [join(programs, "dist", "main.js")], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: {
        ...process.env,
        PORT: "0",
        DASHBOARD_PORT: "0",
        BOUNCER_PORT: "0",
        ...variables,
        FOLDER: folder,
        DATA_DIR: dataFile(),
      },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    runs.push(child);
    const ended = once(child, "close").then(([code]) => code as number | null);
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.stderr.on("data", (chunk) => (errors += String(chunk)));
    return {
      child,
      ended,
      errors: () => errors.trim(),
      output: () => output,
      up: async () => {
        await waitFor(() => {
          if (child.exitCode !== null) throw new Error(`it ended: ${errors}`);
          return output.includes("Carillon is running.");
        });
        return output;
      },
    };
  };

  const started = (name: string) => pidsInLog(dataFile("logs", `${name}.log`));

  it("starts PostgreSQL and the apps, prints their addresses, and stops everything on SIGTERM", async () => {
    const standalone = run();
    const greeting = await standalone.up();
    expect(greeting).to.match(
      /stops it\.\n\n  Client +http:\/\/127\.0\.0\.1:\d+ \(open it in a browser\)\n/,
    );
    expect(greeting).to.match(/API +http:\/\/127\.0\.0\.1:\d+\n/);
    expect(greeting).to.match(/Dashboard +http:\/\/127\.0\.0\.1:\d+ \(user operator, password: /);
    expect(greeting).to.match(/curl -sS -K \S+\/zuliprc\/member\.curlrc http.* -d to=7 /);

    const postgres = await postgresPid(dataFile());
    await waitFor(async () => (await started("worker")).length === 1);
    const pids = (await Promise.all(["gateway", "worker", "dashboard"].map(started))).flat();
    expect(pids).to.have.length(3);
    standalone.child.kill("SIGTERM");
    expect(await standalone.ended).to.equal(0);
    expect(standalone.output()).to.match(/\nStopping … .+\nCarillon has stopped\.\n$/);
    expect([...pids, postgres].filter(isAlive)).to.deep.equal([]);
    expect(await readdir(dataFile())).not.to.include("standalone.pid");
  });

  it("writes the credentials of the first accounts once, for their user only, and prints no secret", async () => {
    const first = run();
    const greeting = await first.up();
    const names = ["admin", "bot", "guest", "member", "moderator", "owner"];
    expect((await readdir(dataFile("zuliprc"))).sort()).to.deep.equal(
      ["accounts.json", "member.curlrc", ...names.map((name) => `${name}.zuliprc`)].sort(),
    );
    const member = await readFile(dataFile("zuliprc", "member.zuliprc"), "utf8");
    expect(member).to.match(
      /^\[api\]\nemail=member@carillon\.test\nkey=\w{32}\nsite=http:\/\/127\.0\.0\.1:\d+\n$/,
    );
    const key = /key=(\w+)/.exec(member)?.[1] ?? "";
    expect(await readFile(dataFile("zuliprc", "member.curlrc"), "utf8")).to.equal(
      `user = "member@carillon.test:${key}"\n`,
    );
    for (const file of ["member.zuliprc", "member.curlrc", "accounts.json"]) {
      expect((await stat(dataFile("zuliprc", file))).mode & 0o777).to.equal(0o600);
    }
    const accounts = JSON.parse(await readFile(dataFile("zuliprc", "accounts.json"), "utf8")) as {
      apiKey: string;
      password: string | null;
    }[];
    const kept = JSON.parse(await readFile(dataFile("secrets.json"), "utf8")) as {
      SECRET_KEY: string;
      DASHBOARD_PASSWORD: string;
    };
    const secrets = accounts.flatMap(({ apiKey, password }) => [apiKey, password ?? apiKey]);
    for (const secret of [...secrets, kept.SECRET_KEY, kept.DASHBOARD_PASSWORD])
      expect(greeting).not.to.include(secret);
    first.child.kill("SIGTERM");
    await first.ended;
  });

  it("stores the public address, and replaces a changed one in its credential files", async () => {
    await copyInitialised();
    const site = async (name: string) =>
      /^site=(.+)$/m.exec(await readFile(dataFile("zuliprc", `${name}.zuliprc`), "utf8"))?.[1];
    const kept = async () => readSecret(dataFile(), "PUBLIC_URL");
    const first = run();
    const greeting = await first.up();
    const [, address] = /API +(\S+)\n/.exec(greeting) ?? [];
    expect(await kept()).to.equal(address);
    expect(await site("bot")).to.equal(address);
    first.child.kill("SIGTERM");
    await first.ended;
    const owner = dataFile("zuliprc", "owner.zuliprc");
    const own = (await readFile(owner, "utf8")).replace(/site=.+/, "site=https://mine.example");
    await writeFile(owner, own);
    const before = await readFile(dataFile("zuliprc", "member.zuliprc"), "utf8");

    const second = run({ PUBLIC_URL: "https://chat.example.com" });
    await second.up();
    expect(await kept()).to.equal("https://chat.example.com");
    expect(await readFile(dataFile("zuliprc", "member.zuliprc"), "utf8")).to.equal(
      before.replace(/site=.+/, "site=https://chat.example.com"),
    );
    expect(await site("owner")).to.equal("https://mine.example");
    second.child.kill("SIGTERM");
    await second.ended;

    // A DATA_DIR of before, which has not kept the address.
    await deleteSecret(dataFile(), "PUBLIC_URL");
    await run({ PUBLIC_URL: "https://third.example.com" }).up();
    expect(await site("member")).to.equal("https://third.example.com");
    expect((await stat(dataFile("zuliprc", "member.zuliprc"))).mode & 0o777).to.equal(0o600);
  });

  it("creates only the owner with DEMO=off, and prints no key", async () => {
    await copyInitialised();
    const greeting = await run({ DEMO: "off", WEB_CLIENT: "off" }).up();
    expect(greeting).not.to.include("Client");
    expect((await readdir(dataFile("zuliprc"))).sort()).to.deep.equal([
      "accounts.json",
      "owner.zuliprc",
    ]);
    expect(greeting).not.to.include("curl");
  });

  it("counts a repeated Ctrl-C as one, and sends the apps SIGTERM once", async () => {
    await copyInitialised();
    const standalone = run();
    await standalone.up();
    // Nobody can ask the worker whether it serves: its first line tells that it hears signals.
    await waitFor(async () => (await started("worker")).length === 1);
    process.kill(-(standalone.child.pid ?? 0), "SIGINT");
    standalone.child.kill("SIGINT");
    expect(await standalone.ended).to.equal(0);
    const log = await readFile(dataFile("logs", "worker.log"), "utf8");
    expect(log.match(/"why":"\w+"/g)).to.deep.equal(['"why":"SIGTERM"']);
    expect(standalone.output().match(/^(Stopping|Carillon has stopped).*$/gm)).to.deep.equal([
      "Stopping … waiting for requests and jobs in progress. Press Ctrl-C again to stop immediately.",
      "Carillon has stopped.",
    ]);
  });

  it("restarts an app that dies", async () => {
    await copyInitialised();
    await run().up();
    await waitFor(async () => (await started("worker")).length === 1);
    for (const pid of await started("worker")) process.kill(pid, "SIGKILL");
    await waitFor(async () => (await started("worker")).length === 2);
    expect(isAlive((await started("worker"))[1] ?? 0)).to.equal(true);
  });

  it("restarts PostgreSQL when it dies", async () => {
    await copyInitialised();
    await run().up();
    const first = await postgresPid(dataFile());
    process.kill(first, "SIGKILL");
    await waitFor(async () => {
      const pid = await postgresPid(dataFile()).catch(() => first);
      return pid !== first && isAlive(pid);
    });
  });

  it("fails with an app's own error line when the app refuses to start", async () => {
    await copyInitialised();
    await writeFile(
      join(folder, "worker.mjs"),
      `console.error("REDIS_URL cannot be reached"); process.exit(1);`,
    );
    // One that does not serve yet: the start is not complete before the worker has had its say.
    await writeFile(
      join(folder, "gateway.mjs"),
      `process.on("disconnect", () => process.exit(0)); setInterval(() => {}, 1_000);`,
    );
    const standalone = run();
    expect(await standalone.ended).to.equal(1);
    expect(standalone.errors()).to.equal("worker: REDIS_URL cannot be reached");
    const pids = [...(await started("gateway")), ...(await started("dashboard"))];
    expect(pids.filter(isAlive)).to.deep.equal([]);
    expect(await readdir(dataFile("postgres"))).not.to.include("postmaster.pid");
  });

  it("leaves no app running when it is killed, and adopts its database at the next start", async () => {
    await copyInitialised();
    const ports = {
      PORT: String(await reservePort()),
      DASHBOARD_PORT: String(await reservePort()),
    };
    const first = run(ports);
    await first.up();
    await waitFor(async () => (await started("worker")).length === 1);
    const postgres = await postgresPid(dataFile());
    first.child.kill("SIGKILL");
    await first.ended;
    // At once: the apps of the killed one may hold their ports still.
    const second = run(ports);
    await second.up();
    expect(await postgresPid(dataFile())).to.equal(postgres);
    for (const name of ["gateway", "worker", "dashboard"]) {
      // The worker has no port that tells when the old one has ended and the new one runs.
      await waitFor(async () => (await started(name)).length === 2);
      const [old = 0, young = 0] = await started(name);
      await waitFor(() => !isAlive(old));
      expect(isAlive(young)).to.equal(true);
    }
  });

  /** What an app was told of push, at its first start. */
  const pushVariables = async (name: string) => {
    const log = await readFile(dataFile("logs", `${name}.log`), "utf8");
    const line = log.split("\n").find((one) => one.includes('"msg":"push"')) ?? "{}";
    return JSON.parse(line) as Record<string, string>;
  };

  it("starts the embedded bouncer, connected to the other apps", async () => {
    await copyInitialised();
    const standalone = run({ PUSH_BOUNCER: "embedded" });
    expect(await standalone.up()).to.match(/Bouncer +http:\/\/127\.0\.0\.1:\d+\n/);
    await waitFor(async () => (await started("worker")).length === 1);
    const bouncer = await pushVariables("bouncer");
    expect(bouncer["host"]).to.equal("127.0.0.1");
    expect(bouncer["PUSH_SERVER_ID"]).to.match(/^[0-9a-f-]{36}$/);
    expect(bouncer["PUSH_SERVER_KEY"]).to.match(/^\w{32}$/);
    expect(bouncer["PUSH_BOUNCER_URL"]).to.equal(`http://127.0.0.1:${bouncer["BOUNCER_PORT"]}`);
    expect(bouncer["BOUNCER_DATABASE_URL"]).to.match(/^postgres.*\/carillon_bouncer$/);
    expect(bouncer["BOUNCER_HANDOVER_LOG"]).to.equal(dataFile("bouncer", "handovers.jsonl"));
    const names = ["PUSH_BOUNCER_URL", "PUSH_SERVER_ID", "PUSH_SERVER_KEY"] as const;
    for (const name of ["gateway", "worker"]) {
      const variables = await pushVariables(name);
      expect(names.map((variable) => variables[variable])).to.deep.equal(
        names.map((variable) => bouncer[variable]),
      );
    }
    standalone.child.kill("SIGTERM");
    await standalone.ended;
    expect((await started("bouncer")).filter(isAlive)).to.deep.equal([]);

    await rm(dataFile("logs", "bouncer.log"));
    await run({ PUSH_BOUNCER: "embedded", BOUNCER_APNS_KEY: "/key.p8" }).up();
    const again = await pushVariables("bouncer");
    expect(again["PUSH_SERVER_KEY"]).to.equal(bouncer["PUSH_SERVER_KEY"]);
    expect(again).to.not.have.property("BOUNCER_HANDOVER_LOG");
  });

  describe("with a given database", () => {
    const db = useDatabase();

    it("gives the apps both addresses of the database with the password of DATABASE_PASSWORD", async () => {
      const address = new URL(db.url);
      const password = address.password || "secret";
      address.password = "";
      await run({
        DATABASE_URL: address.href,
        DATABASE_DIRECT_URL: `${address.href}?sslmode=disable`,
        DATABASE_PASSWORD: password,
      }).up();
      const log = await readFile(dataFile("logs", "gateway.log"), "utf8");
      const line = log.split("\n").find((one) => one.includes('"msg":"up"')) ?? "{}";
      address.password = password;
      expect(JSON.parse(line)).to.include({
        database: address.href,
        direct: `${address.href}?sslmode=disable`,
      });
    });
  });

  it("rejects a second start on the same DATA_DIR", async () => {
    await copyInitialised();
    const first = run();
    await first.up();
    const second = run();
    expect(await second.ended).to.equal(1);
    expect(second.errors()).to.match(
      /^Carillon runs already on DATA_DIR \S+ \(process \d+\): stop that one first.*$/,
    );
    expect(first.child.exitCode).to.equal(null);
  });

  it("names a taken port before it creates a database", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    for (const name of ["PORT", "DASHBOARD_PORT"]) {
      const standalone = run({ [name]: String(port) });
      expect(await standalone.ended).to.equal(1);
      expect(standalone.errors()).to.equal(
        `${name} ${port} is taken: another program listens on 127.0.0.1:${port}; stop it, or set ${name} to a free port`,
      );
    }
    other.close();
    expect(await readdir(dataFile())).not.to.include("postgres");
  });

  it("names an invalid variable", async () => {
    const cases = [
      [{ PORT: "many" }, /^PORT must be a port number/],
      [{ PORT: "9123", DASHBOARD_PORT: "9123" }, /^DASHBOARD_PORT and PORT are both 9123/],
      [{ HOST: "192.0.2.1" }, /^HOST 192\.0\.2\.1 cannot be listened on/],
      [{ SECRET_KEY: "short" }, /^SECRET_KEY must have at least 32 characters/],
    ] as const;
    for (const [variables, message] of cases) {
      const standalone = run(variables);
      expect(await standalone.ended).to.equal(1);
      expect(standalone.errors()).to.match(message);
      expect(standalone.errors()).not.to.include("\n");
    }
  });

  it("uses the credentials of an interrupted start for the organization", async () => {
    await copyInitialised();
    const first = run();
    await first.up();
    first.child.kill("SIGTERM");
    await first.ended;
    const kept = await readFile(dataFile("zuliprc", "accounts.json"), "utf8");
    const { rename } = await import("node:fs/promises");
    await rename(dataFile("zuliprc"), dataFile("zuliprc.new"));
    await run().up();
    expect(await readFile(dataFile("zuliprc", "accounts.json"), "utf8")).to.equal(kept);
    expect(await readdir(dataFile())).not.to.include("zuliprc.new");
  });

  it("stops during a start", async () => {
    await copyInitialised();
    await writeFile(join(folder, "gateway.mjs"), `setInterval(() => {}, 1000);`);
    const standalone = run();
    await waitFor(async () => (await started("dashboard")).length === 1);
    standalone.child.kill("SIGTERM");
    expect(await standalone.ended).to.equal(0);
    expect(standalone.errors()).to.equal("");
    expect(await readdir(dataFile("postgres"))).not.to.include("postmaster.pid");
  });
});

async function postgresPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

/** The processes that said in this log that they are up, in their order. */
async function pidsInLog(path: string): Promise<number[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return [...text.matchAll(/"msg":"up".*"pid":(\d+)/g)].map(([, pid]) => Number(pid));
}

/** A start takes a second, or many on a busy machine. */
const startMs = 120_000;

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  await waitUntil(condition, { what: String(condition), timeoutMs: startMs });
}
