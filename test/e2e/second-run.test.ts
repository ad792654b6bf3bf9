import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { createServer as createHttpServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** Replaces the build: records that it ran, waits on request, and creates the file that starts. */
const builder = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require("node:fs");
appendFileSync("builds", "x");
const timer = setInterval(() => {
  if (existsSync("hold")) return;
  clearInterval(timer);
  mkdirSync("apps/standalone/dist", { recursive: true });
  writeFileSync("apps/standalone/dist/main.js", 'console.log("it runs")');
}, 20);
`;

describe("A second start", () => {
  let folder: string;
  let registry: Server;
  let address: string;
  let nowhere: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-clone-"));
    chmodSync(folder, 0o755);
    await cp(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
    const files = {
      "package.json": { name: "a-clone", private: true, dependencies: { turbo: "1.0.0" } },
      "package-lock.json": {
        name: "a-clone",
        lockfileVersion: 3,
        packages: {
          "": { name: "a-clone", dependencies: { turbo: "1.0.0" } },
          "node_modules/turbo": {
            version: "1.0.0",
            resolved: "https://registry.npmjs.org/turbo/-/turbo-1.0.0.tgz",
          },
        },
      },
      "turbo/package/package.json": { name: "turbo", version: "1.0.0" },
    };
    for (const name of ["lock-file.mjs", "process-status.mjs"].map(
      (file) => `packages/kit/src/${file}`,
    )) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await cp(join(root, name), join(folder, name));
    }
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), JSON.stringify(content));
    }
    await mkdir(join(folder, "apps/standalone"), { recursive: true });
    await mkdir(join(folder, "turbo/package/bin"));
    await writeFile(join(folder, "turbo/package/bin/turbo"), builder);
    const packed = execFileSync("tar", ["-czf", "-", "-C", join(folder, "turbo"), "package"]);
    const server = createHttpServer((request, response) => {
      response.end(request.url?.endsWith(".tgz") ? packed : "{}");
    });
    registry = server.listen(0, "127.0.0.1");
    await once(registry, "listening");
    address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    nowhere = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    closed.close();
    await once(closed, "close");
  });
  after(async () => {
    registry.close();
    await rm(folder, { recursive: true, force: true });
  });

  const options = (from: string, cache = ".npm-cache") => ({
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      npm_config_registry: from,
      npm_config_cache: join(folder, cache),
      npm_config_fetch_timeout: "1000",
    },
  });
  const script = ["scripts/start.mjs"];
  const start = (from = nowhere) =>
    run(process.execPath, script, options(from)).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );
  const builds = () => readFile(join(folder, "builds"), "utf8").catch(() => "");
  const ran = "Starting …\nit runs\n";

  it("installs and builds what the first one could not, without a network, and the next one does neither", async () => {
    expect((await start(nowhere)).code).to.equal(1);
    expect(await builds()).to.equal("");
    expect(await start(address)).to.include({ code: 0, stdout: ran });
    expect(await builds()).to.equal("x");
    expect(await start(nowhere)).to.include({ code: 0, stdout: ran, stderr: "" });
    expect(await builds()).to.equal("x");
  });

  it("builds once for two concurrent starts, and reports which one it waits for", async () => {
    await writeFile(join(folder, "builds"), "");
    await writeFile(join(folder, "packages/kit/src/new.ts"), "");
    await writeFile(join(folder, "hold"), "");
    const one = start();
    await waitFor(async () => (await builds()) !== "", { what: "the first one to build" });
    const two = spawn(process.execPath, script, options(nowhere));
    let said = "";
    two.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
    let shown = "";
    two.stdout.on("data", (piece: Buffer) => (shown += piece.toString()));
    await waitFor(() => said.includes("waiting for it"), { what: "the second one to wait" });
    await rm(join(folder, "hold"));
    const [code] = (await once(two, "close")) as [number];
    expect(code).to.equal(0);
    expect(shown).to.equal(ran);
    expect(await one).to.include({ code: 0, stdout: ran });
    expect(await builds()).to.equal("x");
  });

  it("rebuilds after a start that was killed during the build", async () => {
    await writeFile(join(folder, "builds"), "");
    await writeFile(join(folder, "packages/kit/src/newer.ts"), "");
    await writeFile(join(folder, "hold"), "");
    const killed = spawn(process.execPath, script, { ...options(nowhere), detached: true });
    await waitFor(async () => (await builds()) !== "", { what: "it to build" });
    killGroup(killed);
    await once(killed, "close");
    await rm(join(folder, "hold"));
    expect(await start()).to.include({ code: 0, stdout: ran });
    expect(await builds()).to.equal("xx");
  });

  it("checks the files itself if its stamp is empty or malformed", async () => {
    for (const [note, text] of [
      ["node_modules/.cache/carillon-build.json", ""],
      ["node_modules/.cache/carillon-build.json", "null"],
      ["node_modules/.package-lock.json", '{"half'],
    ] as const) {
      await writeFile(join(folder, note), text);
      const { code, stdout, stderr } = await start(address);
      expect({ code, stdout }, `${note} ${stderr}`).to.deep.equal({ code: 0, stdout: ran });
    }
  });

  it("writes nothing if everything is built, and reports where it could not write", async function () {
    if (process.getuid?.() !== 0) return this.skip();
    expect((await start(address)).code).to.equal(0);
    const as = { ...options(nowhere, "none"), uid: 65_534, gid: 65_534 };
    const { stdout } = await run(process.execPath, script, as);
    expect(stdout).to.equal(ran);
    await writeFile(join(folder, "packages/kit/src/newest.ts"), "");
    const refused = await run(process.execPath, script, as).catch(
      (error: { stderr: string }) => error,
    );
    expect(refused.stderr).to.match(/^.+ cannot be written to \(EACCES\): .+\n$/);
    expect(existsSync(join(folder, ".turbo/install.lock"))).to.equal(false);
  });
});

function killGroup({ pid = 0 }: ChildProcess): void {
  process.kill(-pid, "SIGKILL");
}
