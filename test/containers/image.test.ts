import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@carillon/kit";
import {
  administer,
  clientOf,
  dropDatabase,
  installation,
  postgresUrl,
  reservePort,
  waitFor,
  withDatabase,
  type Variables,
} from "@carillon/testkit";
import { expect } from "chai";
import { containersOf, type Containers } from "./support/container.ts";
import { build, contextOf, type BuiltImage } from "./support/dockerfile.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("What the Dockerfile installs", function () {
  this.timeout(400_000);
  const node = process.env["CARILLON_TEST_NODE"] ?? "";
  const database = `carillon_image_${randomBytes(6).toString("hex")}`;
  let folder: string;
  let image: BuiltImage;
  let containers: Containers;
  let variables: Variables;

  before("build it in an empty folder", async function () {
    if (!node) this.skip();
    folder = await mkdtemp(join(tmpdir(), "carillon-image-"));
    await chmod(folder, 0o755);
    await contextOf(root, join(folder, "context"));
    image = await build(join(root, "Dockerfile"), join(folder, "context"), folder, node);
    containers = containersOf(image, node);
    const data = join(folder, "data");
    await mkdir(data);
    if (process.getuid?.() === 0) await chown(data, Number(image.user), 1_000);
    await administer((server) => server.query(`CREATE DATABASE ${database}`));
    variables = {
      ...installation(withDatabase(postgresUrl(), database)),
      DATA_DIR: data,
      DEMO: "on",
      PUSH_BOUNCER_URL: "http://127.0.0.1:9",
      PUSH_SERVER_ID: "6f1c1f0e-8b1f-4c5e-9a53-1b2a8c1d7e11",
      PUSH_SERVER_KEY: "a-key",
    };
  });
  after(async () => {
    await containers?.close();
    await dropDatabase(database);
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const filesOf = async (path: string) =>
    (await readdir(path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it("skips only commands that change the base image's system", () => {
    expect(image.leftOut).to.deep.equal([
      "install --directory --owner=node --group=node --mode=0700 /data /data/files",
      "ln -s /app/apps/cli/bin/carillon.mjs /usr/local/bin/carillon",
    ]);
  });

  it("contains bundles, migrations and few packages, but no sources, tests or compilers", async () => {
    const app = join(image.root, "app");
    const files = (await filesOf(app)).map((file) => file.slice(app.length + 1));
    const packages = files.flatMap(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
    );
    const binaries = new Set(packages.filter((name) => name.startsWith("@img/sharp-")));
    expect([...binaries], "sharp and libvips for this platform").to.have.length(2);
    expect([...new Set(packages)].filter((name) => !binaries.has(name))).to.have.members([
      "@bull-board/ui",
      "@codemirror/legacy-modes",
      "@codemirror/streamparser",
      "@img/colour",
      "@prisma/client",
      "@zxcvbn-ts/core",
      "@zxcvbn-ts/dictionary-compression",
      "@zxcvbn-ts/language-common",
      "@zxcvbn-ts/language-en",
      "detect-libc",
      "fastest-levenshtein",
      "katex",
      "libsodium",
      "libsodium-wrappers",
      "semver",
      "sharp",
      "swagger-ui-dist",
    ]);
    expect(files.filter((file) => /\.ts$|\.test\.|\/src\//.test(file))).to.deep.equal([]);
    const tops = new Set(files.map((file) => file.split("/")[0]));
    expect([...tops]).to.have.members([
      "LICENSE",
      "apps",
      "docker",
      "node_modules",
      "package.json",
      "packages",
      "prisma",
    ]);
  });

  it("is smaller than 130 megabytes, and read-only for its processes", async () => {
    const sizes = await Promise.all(
      (await filesOf(image.root)).map(async (file) => (await lstat(file)).size),
    );
    const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
    // libvips, which decodes pictures, has 19 of them.
    expect(megabytes, "megabytes over the base image").to.be.within(10, 130);
    expect(image.user).to.match(/^[1-9]\d*$/);
  });

  it("creates an organization, schedules, sends on time, serves the dashboard, and reports its health", async () => {
    const prepared = containers.start(["node", "apps/standalone/dist/prepare-main.js"], variables);
    expect((await prepared.exit).code, prepared.output()).to.equal(0);
    const metrics = { gateway: String(await reservePort()), worker: String(await reservePort()) };
    const help = containers.start(["node", "apps/cli/bin/carillon.mjs", "--help"], variables);
    expect((await help.exit).code, help.output()).to.equal(0);
    const gateway = containers.start(image.command, {
      ...variables,
      METRICS_PORT: metrics.gateway,
    });
    const worker = containers.start(["node", "apps/worker/dist/main.js"], {
      ...variables,
      METRICS_PORT: metrics.worker,
    });
    const dashboardPort = String(await reservePort());
    const dashboard = containers.start(["node", "apps/dashboard/dist/main.js"], {
      ...variables,
      DASHBOARD_PORT: dashboardPort,
      DASHBOARD_USER: "operator",
      DASHBOARD_PASSWORD: "a password for the test",
    });
    const { port } = await gateway.waitForLine("gateway started");
    await worker.waitForLine("worker started");
    await dashboard.waitForLine("dashboard started");

    const client = await fetch(`http://127.0.0.1:${String(port)}/`);
    const script = /src="(assets\/[^"]+\.js)"/.exec(await client.text())?.[1] ?? "none";
    const built = await fetch(`http://127.0.0.1:${String(port)}/${script}`);
    expect([client.status, built.status], "the browser client").to.deep.equal([200, 200]);

    const zuliprc = await readFile(join(folder, "data/zuliprc/owner.zuliprc"), "utf8");
    const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(zuliprc)?.[1] ?? "";
    const owner = clientOf(`http://127.0.0.1:${String(port)}`, {
      email: field("email"),
      apiKey: field("key"),
    });
    const me = Number((await owner.get("/api/v1/users/me")).body["user_id"]);
    const scheduled = await owner.post("/api/v1/scheduled_messages", {
      type: "direct",
      to: [me],
      content: "A formula: $$x^2$$\n```python\ndef f(): pass\n```",
      scheduled_delivery_timestamp: Math.floor(systemClock.now() / 1_000) + 10,
    });
    expect(scheduled.status, scheduled.text).to.equal(200);
    const sent = async () => {
      const answer = await owner.get("/api/v1/messages", {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
      });
      const [message] = answer.body["messages"] as Array<{ content: string }>;
      return (
        message?.content.includes('class="katex"') &&
        message.content.includes('<span class="nf">f</span>')
      );
    };
    await waitFor(sent, { what: "the message is sent, with its formula and coloured code" });
    const draft = { type: "private", to: [me], topic: "", content: "later" };
    const drafted = await owner.post("/api/v1/drafts", { drafts: [draft] });
    expect(drafted.status, drafted.text).to.equal(200);

    const authorization = `Basic ${Buffer.from("operator:a password for the test").toString("base64")}`;
    const page = async (path: string) =>
      fetch(`http://127.0.0.1:${dashboardPort}${path}`, { headers: { authorization } });
    expect((await page("/")).status).to.equal(200);
    const board = await page("/queues/");
    expect(board.status).to.equal(200);
    const asset = /(?:src|href)="([^"]+\.(?:js|css))"/.exec(await board.text())?.[1] ?? "none";
    expect((await page(new URL(asset, "http://x/queues/").pathname)).status).to.equal(200);

    expect(await containers.isHealthy({ METRICS_PORT: metrics.gateway })).to.equal(true);
    expect(await containers.isHealthy({ METRICS_PORT: metrics.worker })).to.equal(true);
    expect(await containers.isHealthy({ METRICS_PORT: "", HEALTH_PORT: dashboardPort })).to.equal(
      true,
    );
    expect((await worker.stop()).code).to.equal(0);
    expect(await containers.isHealthy({ METRICS_PORT: metrics.worker })).to.equal(false);
    expect((await gateway.stop()).code).to.equal(0);
    expect((await dashboard.stop()).code).to.equal(0);
  });
});
