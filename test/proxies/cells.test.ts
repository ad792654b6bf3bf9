import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrganization } from "@carillon/domain";
import {
  installation,
  organization,
  reservePort,
  testSite,
  useDatabase,
  useProcesses,
  waitFor,
  type TestAccount,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { hasProgram, makeCertificate, nginxCommand } from "./support/nginx.ts";

const deploy = new URL("../../deploy/cells/", import.meta.url);
const names = ["west", "east", "north"] as const;
type CellName = (typeof names)[number];
/** Organizations of all cells together. */
const organizations = 100;

/** Titles of the processes below nginx's master, by their ids. */
async function workersOf(master: number): Promise<Map<string, string>> {
  const children = await readFile(`/proc/${master}/task/${master}/children`, "utf8");
  const found = new Map<string, string>();
  for (const pid of children.split(" ").filter(Boolean))
    found.set(pid, await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "is shutting down"));
  return found;
}

describe("A hundred organizations in three cells behind nginx, with the files in deploy", () => {
  const databases = { west: useDatabase(), east: useDatabase(), north: useDatabase() };
  const gateways = new Map<CellName, { readonly process: TestProcess; readonly port: number }>();
  /** Cell of each host name, as `hosts.map` lists it. */
  const hosts = new Map<string, CellName>();
  const agent = new Agent({ rejectUnauthorized: false });
  let folder: string;
  let port: number;
  let template: string;
  let proxy: TestProcess;

  after(async () => {
    if (!folder) return;
    await proxy.stop().catch(() => proxy.kill());
    await rm(folder, { recursive: true, force: true });
  });
  // Its hook kills processes after the hook above has stopped nginx: a killed nginx would leave its workers running.
  const processes = useProcesses();
  before(async function () {
    if (!["nginx", "openssl"].every(hasProgram)) this.skip();
    folder = await mkdtemp(join(tmpdir(), "carillon-cells-"));
    port = await reservePort();
    const plain = await reservePort();
    const { key, certificate } = makeCertificate(folder);
    template = (await readFile(new URL("cells.conf", deploy), "utf8"))
      .replace("/etc/nginx/hosts.map", join(folder, "hosts.map"))
      .replace("listen 80;", `listen 127.0.0.1:${plain};`)
      .replace("listen 443 ", `listen 127.0.0.1:${port} `)
      .replace("/var/log/nginx", folder)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
    await Promise.all(names.map(startGateway));
    for (let n = 0; n < organizations; n++) {
      const cell = names[n % names.length] ?? "west";
      await createOrganizationIn(cell, `org${n}`);
    }
    await configure();
    const [program = "", ...args] = await nginxCommand(folder, await sites());
    proxy = processes.program(program, args, { HOME: folder });
    await waitFor(() => ask("org0").then(({ status }) => status === 200), {
      what: "nginx serves",
    });
  });
  it("are each served by their own cell", async () => {
    for (const [host, cell] of hosts) {
      const subdomain = host.split(".")[0] ?? "";
      const { status, body } = await ask(subdomain);
      expect([status, body["realm_name"]], host).to.deep.equal([200, `${subdomain} of ${cell}`]);
    }
  });

  it("do not accept API keys of another cell", async () => {
    const { member } = await organization(databases.west, { subdomain: "ada" });
    const { member: stranger } = await organization(databases.east, { subdomain: "bell" });
    hosts.set("ada.example.com", "west").set("bell.example.com", "east");
    await configure();
    await reload();
    await waitFor(() => ask("bell").then(({ status }) => status === 200), {
      what: "bell is there",
    });
    const own = await ask("ada", { path: "/api/v1/users/me", as: member });
    expect([own.status, own.body["user_id"]]).to.deep.equal([200, member.id]);
    const foreign = await ask("ada", { path: "/api/v1/users/me", as: stranger });
    expect(foreign.status).to.equal(401);
  });

  it("do not answer for a host name that hosts.map does not list: nginx refuses it with an error in JSON", async () => {
    const { status, body } = await ask("nobody");
    expect(status).to.equal(404);
    expect(body).to.deep.equal({
      result: "error",
      msg: "This address belongs to no organization.",
      code: "NOT_FOUND",
    });
  });

  it("are added while others are served, and no open poll is lost", async () => {
    const { member, owner } = await organization(databases.north, { subdomain: "curie" });
    hosts.set("curie.example.com", "north");
    await configure();
    await reload();
    await waitFor(() => ask("curie").then(({ status }) => status === 200), {
      what: "the organization is served",
    });
    const registered = await ask("curie", {
      path: "/api/v1/register",
      form: { event_types: '["message"]' },
      as: member,
    });
    const { queue_id, last_event_id } = registered.body;
    const poll = ask("curie", {
      path: `/api/v1/events?queue_id=${String(queue_id)}&last_event_id=${String(last_event_id)}`,
      as: member,
    });
    await createOrganizationIn("east", "newest");
    await configure();
    await reload();
    await waitFor(() => ask("newest").then(({ status }) => status === 200), {
      what: "the newest organization is served",
    });
    await ask("curie", {
      path: "/api/v1/messages",
      form: { type: "direct", to: `[${member.id}]`, content: "after the reload" },
      as: owner,
    });
    const { body } = await poll;
    const [event] = body["events"] as Array<{ message: { content: string } }>;
    expect(event?.message.content).to.equal("after the reload");
  });

  it("move from one gateway of their cell to another without a failed request", async () => {
    const before = gateways.get("west");
    const ofWest = [...hosts].filter(([, cell]) => cell === "west").map(([host]) => host);
    const failures: number[] = [];
    let asked = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const host = ofWest[asked++ % ofWest.length] ?? "";
        const { status } = await ask(host.split(".")[0] ?? "");
        if (status !== 200) failures.push(status);
      }
    })();
    await startGateway("west");
    const answeredBefore = asked;
    await writeFile(join(folder, "sites.conf"), await sites());
    await reload();
    const { process: next } = gateways.get("west") ?? {};
    await waitFor(() => next?.lines.some(({ msg }) => msg === "request"), {
      what: "the new gateway has requests",
    });
    await before?.process.stop();
    const atStop = asked;
    await waitFor(() => asked > atStop + 20, { what: "requests after the old gateway has ended" });
    isOver = true;
    await asking;
    expect(asked).to.be.greaterThan(answeredBefore);
    expect(failures).to.deep.equal([]);
  });

  async function startGateway(cell: CellName): Promise<void> {
    const started = await processes.gateway({
      ...installation(databases[cell].url),
      PUBLIC_URL: "https://example.com",
      TRUSTED_PROXIES: "127.0.0.1",
      RATE_LIMITS: "off",
    });
    gateways.set(cell, { process: started, port: Number(new URL(started.url).port) });
  }

  async function createOrganizationIn(cell: CellName, subdomain: string): Promise<void> {
    await databases[cell].transaction((tx) =>
      createOrganization(tx, testSite({ url: "https://example.com" }), {
        subdomain,
        name: `${subdomain} of ${cell}`,
        owner: { email: `owner@${subdomain}.test`, fullName: "Owner" },
      }),
    );
    hosts.set(`${subdomain}.example.com`, cell);
  }

  /** Writes `hosts.map`. */
  async function configure(): Promise<void> {
    const lines = [...hosts].map(([host, cell]) => `${host} ${cell};\n`);
    await writeFile(join(folder, "hosts.map"), lines.join(""));
  }

  /** The operators' file, with the cells of this test. */
  async function sites(): Promise<string> {
    const upstreams = [...gateways].map(
      ([cell, { port: own }]) =>
        `upstream cell_${cell} {\n  least_conn;\n  server 127.0.0.1:${own} max_fails=2 fail_timeout=5s;\n  keepalive 64;\n}\n`,
    );
    return upstreams.join("") + template.replaceAll(/^upstream [^]*?^\}\n/gm, "");
  }

  /** Reloads nginx, and waits until its old workers accept no more connections. */
  async function reload(): Promise<void> {
    const old = await workersOf(proxy.pid);
    proxy.signal("SIGHUP");
    await waitFor(
      async () => {
        const now = await workersOf(proxy.pid);
        const isAccepting = ([pid, title]: [string, string]) =>
          old.has(pid) && !title.includes("is shutting down");
        return now.size > 0 && ![...now].some(isAccepting);
      },
      { what: "nginx has new workers" },
    );
  }

  function ask(
    subdomain: string,
    {
      path = "/api/v1/server_settings",
      form,
      as,
    }: {
      readonly path?: string;
      readonly form?: Readonly<Record<string, string>>;
      readonly as?: TestAccount;
    } = {},
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path,
          method: form ? "POST" : "GET",
          agent,
          servername: "localhost",
          headers: {
            Host: `${subdomain}.example.com`,
            ...(form && { "Content-Type": "application/x-www-form-urlencoded" }),
            ...(as && {
              Authorization: `Basic ${Buffer.from(`${as.deliveryEmail}:${as.apiKey}`).toString("base64")}`,
            }),
          },
        },
        (answer) => {
          let text = "";
          answer.on("data", (piece: Buffer) => (text += piece.toString()));
          answer.on("error", reject);
          answer.on("end", () =>
            resolve({
              status: answer.statusCode ?? 0,
              body: JSON.parse(text) as Record<string, unknown>,
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(form && new URLSearchParams(form).toString());
    });
  }
});
