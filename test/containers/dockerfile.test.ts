import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { instructionsOf } from "./support/dockerfile.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const file = join(root, "Dockerfile");

describe("The Dockerfile", () => {
  it("has no findings of hadolint", async function () {
    const linters = process.env["CARILLON_TEST_LINTERS"];
    if (!linters) this.skip();
    const { stdout } = await run(join(linters, "hadolint"), ["--no-color", file]);
    expect(stdout).to.equal("");
  });

  it("uses one base image, pinned by version and digest", async () => {
    const text = await readFile(file, "utf8");
    const bases = instructionsOf(text).filter(({ name }) => name === "FROM");
    const images = new Set(bases.map(({ rest }) => rest.split(" ")[0]));
    expect(images.size).to.equal(1);
    expect([...images][0]).to.match(/^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
  });

  it("installs before it copies the sources, runs without root, and has a health check", async () => {
    const text = await readFile(file, "utf8");
    const install = text.indexOf("npm ci");
    expect(install).to.be.greaterThan(0);
    const build = text.indexOf(" AS build");
    expect(text.indexOf("COPY . .", build)).to.be.greaterThan(install);
    expect(text).to.match(/^USER [1-9]\d*$/m);
    expect(text).to.match(/^HEALTHCHECK /m);
  });
});
