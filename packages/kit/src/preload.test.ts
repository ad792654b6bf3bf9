import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

import { preloadEnvironment, releasePreloaded } from "./preload.ts";

describe("a held process", () => {
  let folder: string;
  let child: ChildProcess;
  let said: string[];
  const module = JSON.stringify(fileURLToPath(new URL("./preload.ts", import.meta.url)));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-held-"));
    await writeFile(
      join(folder, "child.mjs"),
      `import { whenReleased } from ${module};
      process.send("loaded");
      await whenReleased();
      const { GIVEN, TAKEN, CARILLON_PRELOADED } = process.env;
      process.send(JSON.stringify({ GIVEN, TAKEN, CARILLON_PRELOADED }));`,
    );
  });
  after(() => rm(folder, { recursive: true }));
  afterEach(() => child.kill("SIGKILL"));

  const start = async (env: NodeJS.ProcessEnv) => {
    said = [];
    child = fork(join(folder, "child.mjs"), [], { env: { ...env, TAKEN: "before" } });
    child.on("message", (message) => said.push(message as string));
    await once(child, "message");
  };

  it("loads its code, waits for its variables, and then ends by itself", async () => {
    await start(preloadEnvironment());
    expect(said).to.deep.equal(["loaded"]);
    releasePreloaded(child, { ...process.env, GIVEN: "after", TAKEN: undefined });
    expect(await once(child, "exit")).to.deep.equal([0, null]);
    expect(said).to.deep.equal(["loaded", '{"GIVEN":"after"}']);
  });

  it("ends when its parent is gone", async () => {
    await start(preloadEnvironment());
    child.disconnect();
    expect(await once(child, "exit")).to.deep.equal([0, null]);
    expect(said).to.deep.equal(["loaded"]);
  });

  it("does not wait unless it was started as held", async () => {
    await start(process.env);
    await once(child, "exit");
    expect(said).to.deep.equal(["loaded", '{"TAKEN":"before"}']);
  });
});
