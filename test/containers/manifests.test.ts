import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const linters = process.env["CARILLON_TEST_LINTERS"] ?? "";
const kubernetes = join(root, "deploy/kubernetes");
const systemd = join(root, "deploy/systemd");

describe("The example for Kubernetes", () => {
  const manifests = async () =>
    (await readdir(kubernetes)).filter((name) => name !== "kustomization.yaml");
  const validate = (...files: string[]) =>
    run(join(linters, "kubernetes-validate"), ["--strict", ...files]);

  it("matches the schema of Kubernetes exactly", async function () {
    if (!linters) this.skip();
    const files = (await manifests()).map((name) => join(kubernetes, name));
    const { stdout } = await validate(...files);
    expect(stdout.match(/passed/g)?.length).to.be.at.least(files.length);
  });

  it("would be refused with an unknown field", async function () {
    if (!linters) this.skip();
    const folder = await mkdtemp(join(tmpdir(), "carillon-manifests-"));
    try {
      const text = await readFile(join(kubernetes, "worker.yaml"), "utf8");
      const file = join(folder, "worker.yaml");
      await writeFile(file, text.replace("terminationGracePeriodSeconds", "gracePeriod"));
      const error = await validate(file).then(
        () => undefined,
        (failed: Error & { stdout: string }) => failed,
      );
      expect(error?.stdout).to.contain("gracePeriod");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("restarts nothing while the database is down, and has the right scrape port for every process", async () => {
    for (const name of ["gateway", "worker", "dashboard"]) {
      const text = await readFile(join(kubernetes, `${name}.yaml`), "utf8");
      const probe = (kind: string) =>
        new RegExp(`${kind}Probe:\\n +httpGet: \\{ path: (\\S+), port: (\\w+) \\}`)
          .exec(text)
          ?.slice(1);
      const port = name === "dashboard" ? "http" : "metrics";
      expect(probe("liveness"), name).to.deep.equal(["/live", port]);
      expect(probe("startup"), name).to.deep.equal(["/live", port]);
      expect(probe("readiness"), name).to.deep.equal(["/health", port]);
      const [, scraped] =
        /prometheus\.io\/scrape: "true"\n +prometheus\.io\/port: "(\d+)"/.exec(text) ?? [];
      expect(text, name).to.include(`{ name: ${port}, containerPort: ${scraped} }`);
    }
  });

  it("lists every file, and starts files that the build creates", async () => {
    const list = await readFile(join(kubernetes, "kustomization.yaml"), "utf8");
    const listed = [...list.matchAll(/^ {2}- (\S+\.yaml)$/gm)].map(([, name]) => name);
    expect(listed).to.have.members(await manifests());
    const texts = await Promise.all(
      listed.map((name) => readFile(join(kubernetes, name ?? ""), "utf8")),
    );
    const started = texts.flatMap((text) => text.match(/apps\/\S+\/dist\/\S+\.js/g) ?? []);
    expect(started).to.have.members([
      "apps/standalone/dist/prepare-main.js",
      "apps/gateway/dist/main.js",
      "apps/worker/dist/main.js",
      "apps/dashboard/dist/main.js",
    ]);
    for (const file of started) await readFile(join(root, file));
  });
});

describe("The units for systemd", () => {
  it("have no findings of systemd", async function () {
    const there = await run("systemd-analyze", ["--version"]).then(
      () => true,
      () => false,
    );
    if (!there) this.skip();
    const folder = await mkdtemp(join(tmpdir(), "carillon-units-"));
    try {
      for (const unit of await readdir(systemd)) {
        await cp(join(systemd, unit), join(folder, unit));
        const name = unit.replace("@.", "@worker.");
        if (name !== unit) await cp(join(systemd, unit), join(folder, name));
        const { stdout, stderr } = await run("systemd-analyze", ["verify", join(folder, name)]);
        const said = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("carillon"));
        expect(said, unit).to.deep.equal([]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
