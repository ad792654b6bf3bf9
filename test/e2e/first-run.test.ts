import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { once } from "node:events";
import { promisify } from "node:util";
import { expect } from "chai";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** A clone with only the files that installing and building read. */
async function clone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-clone-"));
  await cp(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
  const files = ["package.json", "package-lock.json", "turbo.json", "tsconfig.base.json"];
  const kit = ["lock-file.mjs", "process-status.mjs"].map((name) => `packages/kit/src/${name}`);
  for (const group of ["apps", "packages"])
    for (const name of await readdir(join(root, group)))
      files.push(`${group}/${name}/package.json`);
  for (const file of [...files, ...kit, "apps/cli/bin/carillon.mjs"]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  return folder;
}

describe("The first start", () => {
  let folder: string;
  before(async () => {
    folder = await clone();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs `npm start` with this registry and an empty cache. Returns the exit code and the output. */
  const start = (registry: string) => ask(registry, process.execPath, "scripts/start.mjs");
  const ask = async (registry: string, program: string, ...words: string[]) => {
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      npm_config_registry: registry,
      npm_config_cache: join(folder, ".npm-cache"),
      npm_config_fetch_timeout: "1000",
    };
    const options = { cwd: folder, env };
    return run(program, words, options).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );
  };

  it("names the refusing registry, suggests what to do, and leaves nothing that counts as installed", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const registry = `http://127.0.0.1:${(taken.address() as AddressInfo).port}/`;
    taken.close();
    await once(taken, "close");
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { code, stdout, stderr } = await start(registry);
      expect(code).to.equal(1);
      expect(stdout).to.equal("");
      expect(stderr).to.match(/^Installing packages …$/m);
      expect(stderr).to.include(`the npm registry ${registry} cannot be reached (ECONNREFUSED)`);
      expect(stderr).to.include("run the command again");
      const left = await readdir(join(folder, "node_modules")).catch(() => []);
      expect(left).not.to.include(".carillon-install");
    }
  });

  it("includes the command line: npx finds carillon in a clone without an installation and starts installing", async () => {
    const { bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      bin: Record<string, string>;
    };
    const { code, stderr } = await ask(
      "http://127.0.0.1:1/",
      process.execPath,
      bin["carillon"] ?? "",
      "doctor",
    );
    expect(code).to.equal(1);
    expect(stderr).to.include("the npm registry http://127.0.0.1:1/ cannot be reached");
    expect(stderr).to.include("run the command again");
  });

  it("does not wait long for a registry that accepts connections and never responds", async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    try {
      const registry = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      const { code, stderr } = await start(registry);
      expect(code).to.equal(1);
      expect(stderr).to.include(`the npm registry ${registry} cannot be reached (`);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});

describe("The build stamp", () => {
  let folder: string;
  let stamp: {
    isBuilt(): boolean;
    remembered(build: () => Promise<void>): Promise<void>;
  };
  const source = () => join(folder, "packages/kit/src/lock-file.mjs");

  before(async () => {
    folder = await clone();
    const path = join(folder, "scripts/lib/stamp.mjs");
    // What npm and the script leave after an installation without packages.
    await mkdir(join(folder, "node_modules"));
    await writeFile(join(folder, "node_modules/.package-lock.json"), '{"packages":{}}');
    stamp = (await import(pathToFileURL(path).href)) as typeof stamp;
    const install = (await import(pathToFileURL(join(folder, "scripts/lib/install.mjs")).href)) as {
      markInstalled(): void;
    };
    install.markInstalled();
  });
  after(() => rm(folder, { recursive: true, force: true }));
  beforeEach(() => stamp.remembered(make));

  const make = async () => {
    await mkdir(join(folder, "apps/gateway/dist"), { recursive: true });
    await writeFile(join(folder, "apps/gateway/dist/main.js"), "made");
  };

  it("is valid while nothing changes", () => {
    expect(stamp.isBuilt()).to.equal(true);
  });

  it("becomes invalid by an edit that keeps length and time", async () => {
    const { stat } = await import("node:fs/promises");
    const [before, text] = [await stat(source()), await readFile(source(), "utf8")];
    await writeFile(source(), text.replace("JavaScript", "javaScript"));
    await utimes(source(), before.atime, before.mtime);
    expect(stamp.isBuilt()).to.equal(false);
  });

  it("becomes invalid by files that are new, deleted, or no longer built", async () => {
    const added = join(folder, "apps/gateway/src/operations/new.ts");
    await mkdir(dirname(added), { recursive: true });
    await writeFile(added, "");
    expect(stamp.isBuilt()).to.equal(false);
    await stamp.remembered(make);
    await rm(added);
    expect(stamp.isBuilt()).to.equal(false);
    await stamp.remembered(make);
    await rm(join(folder, "apps/gateway/dist/main.js"));
    expect(stamp.isBuilt()).to.equal(false);
  });

  it("is not written by a failed build, or if a file is edited during the build", async () => {
    await stamp
      .remembered(async () => {
        await make();
        throw new Error("broken off");
      })
      .catch(() => {});
    expect(stamp.isBuilt()).to.equal(false);
    await stamp.remembered(async () => {
      await make();
      await writeFile(source(), "export {};");
    });
    expect(stamp.isBuilt()).to.equal(false);
  });
});
