import { createOrganization } from "@carillon/domain";
import {
  installation,
  organization,
  testSite,
  useDatabase,
  useProcesses,
  waitFor,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { type ProxyRequest, type ProxyAnswer, CellProxy } from "./support/cell-proxy.ts";
import { hasProgram } from "./support/nginx.ts";

const names = ["west", "east", "north"] as const;
type CellName = (typeof names)[number];
/** Organizations of all cells together. */
const organizations = 100;

describe("A hundred organizations in three cells behind nginx, with the files in deploy", () => {
  const databases = { west: useDatabase(), east: useDatabase(), north: useDatabase() };
  const gateways = new Map<CellName, TestProcess>();
  let proxy: CellProxy;

  after(() => proxy?.stop());
  // Its hook kills processes after the hook above has stopped nginx.
  const processes = useProcesses();
  before(async function () {
    if (!["nginx", "openssl"].every(hasProgram)) this.skip();
    proxy = await CellProxy.create();
    await Promise.all(names.map(startGateway));
    for (let n = 0; n < organizations; n++) {
      const cell = names[n % names.length] ?? "west";
      await createOrganizationIn(cell, `org${n}`);
    }
    await proxy.start(processes);
  });

  it("are each served by their own cell", async () => {
    for (const [host, cell] of proxy.hosts) {
      const subdomain = host.split(".")[0] ?? "";
      const { status, body } = await ask(subdomain);
      expect([status, body["realm_name"]], host).to.deep.equal([200, `${subdomain} of ${cell}`]);
    }
  });

  it("do not accept API keys of another cell", async () => {
    const { member } = await organization(databases.west, { subdomain: "ada" });
    const { member: stranger } = await organization(databases.east, { subdomain: "bell" });
    proxy.hosts.set("ada.example.com", "west").set("bell.example.com", "east");
    await proxy.writeHosts();
    await proxy.reload();
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

  it("stay in their cells when hosts.map has a host name twice: nginx keeps its old configuration", async () => {
    await proxy.writeHosts([...proxy.hosts, ["org0.example.com", "east"]]);
    await proxy.reloadFaulty(/conflicting parameter "org0\.example\.com"/);
    const { body } = await ask("org0");
    expect(body["realm_name"]).to.equal("org0 of west");
    await proxy.writeHosts();
    await proxy.reload();
  });

  it("are added while others are served, and no open poll is lost", async () => {
    const { member, owner } = await organization(databases.north, { subdomain: "curie" });
    proxy.hosts.set("curie.example.com", "north");
    await proxy.writeHosts();
    await proxy.reload();
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
    await proxy.writeHosts();
    await proxy.reload();
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
    const ofWest = [...proxy.hosts].filter(([, cell]) => cell === "west").map(([host]) => host);
    const failures: number[] = [];
    let sent = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const host = ofWest[sent++ % ofWest.length] ?? "";
        const { status } = await ask(host.split(".")[0] ?? "");
        if (status !== 200) failures.push(status);
      }
    })();
    await startGateway("west");
    const sentBefore = sent;
    await proxy.writeSites();
    await proxy.reload();
    const next = gateways.get("west");
    await waitFor(() => next?.lines.some(({ msg }) => msg === "request"), {
      what: "the new gateway has requests",
    });
    await before?.stop();
    const atStop = sent;
    await waitFor(() => sent > atStop + 20, { what: "requests after the old gateway has ended" });
    isOver = true;
    await asking;
    expect(sent).to.be.greaterThan(sentBefore);
    expect(failures).to.deep.equal([]);
  });

  async function startGateway(cell: CellName): Promise<void> {
    const started = await processes.gateway({
      ...installation(databases[cell].url),
      PUBLIC_URL: "https://example.com",
      TRUSTED_PROXIES: "127.0.0.1",
      RATE_LIMITS: "off",
    });
    gateways.set(cell, started);
    proxy.gateways.set(cell, Number(new URL(started.url).port));
  }

  async function createOrganizationIn(cell: CellName, subdomain: string): Promise<void> {
    await databases[cell].transaction((tx) =>
      createOrganization(tx, testSite({ url: "https://example.com" }), {
        subdomain,
        name: `${subdomain} of ${cell}`,
        owner: { email: `owner@${subdomain}.test`, fullName: "Owner" },
      }),
    );
    proxy.hosts.set(`${subdomain}.example.com`, cell);
  }

  function ask(subdomain: string, request: ProxyRequest = {}): Promise<ProxyAnswer> {
    return proxy.ask(subdomain, request);
  }
});
