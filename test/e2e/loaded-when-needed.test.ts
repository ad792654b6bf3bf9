import { once } from "node:events";
import { createDrafts, createLinkifier, createUser, renderMessageText } from "@carillon/contract";
import {
  clientOf,
  installation,
  organization,
  useDatabase,
  useProcesses,
  user,
  type GatewayClient,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";

/** Lets a process report which files it has loaded, in any way. */
const observed = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    import { Session } from "node:inspector";
    const scripts = [];
    const session = new Session();
    session.connect();
    session.on("Debugger.scriptParsed", ({ params }) => scripts.push(params.url));
    session.post("Debugger.enable");
    process.on("message", (message) => {
      if (message === "scripts") process.send({ scripts });
    });`)}`,
};

/** Modules that are loaded on demand, by their file names in the sources and in a bundle. */
const parts = {
  katex: /katex/,
  tokenizers: /legacy-modes|streamparser/,
  re2: /re2js/,
  pictures: /jdenticon/,
  prisma: /prisma-on-connection/,
  "prisma's compiler": /query_compiler/,
  "bull-board": /bull-board|\/board(-[A-Z0-9]{8})?\.[jt]s/,
  mail: /nodemailer/,
  encryption: /libsodium/,
  calls: /undici/,
  tracing: /opentelemetry(-[A-Z0-9]{8})?\.[jt]s/,
  reference: /reference\/files|\/files-[A-Z0-9]{8}\.js/,
};

type Part = keyof typeof parts;

describe("Modules loaded on demand", () => {
  const db = useDatabase();
  const processes = useProcesses();

  it("are not loaded when a worker or a dashboard has started", async () => {
    const variables = { ...installation(db.url), ...observed };
    const worker = processes.start("worker", variables, { ipc: true });
    const password = "a password of the dashboard";
    const dashboard = processes.start(
      "dashboard",
      { ...variables, DASHBOARD_PORT: "0", DASHBOARD_USER: "op", DASHBOARD_PASSWORD: password },
      { ipc: true },
    );
    await worker.waitForLine("worker started");
    const { port } = await dashboard.waitForLine("dashboard started");
    expect(await loaded(worker)).to.deep.equal([]);
    expect(await loaded(dashboard)).to.deep.equal([]);

    const authorization = `Basic ${Buffer.from(`op:${password}`).toString("base64")}`;
    const visit = () =>
      fetch(`http://127.0.0.1:${String(port)}/queues`, { headers: { authorization } });
    const [first, second] = await Promise.all([visit(), visit()]);
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(await loaded(dashboard)).to.deep.equal(["bull-board"]);
  });

  it("are loaded into a gateway by the first request that needs them", async () => {
    const { realm, owner, guest } = await organization(db);
    const hidden = await user(db, realm, { settings: { email_address_visibility: 4 } });
    const gateway = processes.start(
      "gateway",
      { ...installation(db.url), ...observed },
      { ipc: true },
    );
    const { port } = await gateway.waitForLine("gateway started");
    const url = `http://127.0.0.1:${String(port)}`;
    const client = clientOf(url, owner);
    const avatar = () =>
      clientOf(url, guest).send("GET", `/avatar/${hidden.id}`, { redirect: "manual" });
    expect(await loaded(gateway)).to.deep.equal([]);

    const page = () => fetch(`${url}/api`);
    const had: Part[] = [];
    for (const [adds, use] of uses(avatar, page)) {
      // Likewise, by two concurrent requests.
      await Promise.all([use(client, 1), use(client, 2)]);
      had.push(...adds);
      expect(await loaded(gateway)).to.have.members(had);
    }
  });
});

/** The modules that each request loads. */
function uses(
  avatar: () => Promise<{ readonly status: number }>,
  page: () => Promise<{ readonly status: number }>,
): ReadonlyArray<[Part[], (client: GatewayClient, n: number) => Promise<void>]> {
  return [
    [
      ["katex"],
      async (client) => {
        const params = { content: "$$x^2$$" };
        const { rendered } = await client.succeed(renderMessageText, { params });
        expect(rendered).to.include('class="katex"');
      },
    ],
    [
      ["tokenizers"],
      async (client) => {
        const params = { content: "```python\ndef f(): pass\n```" };
        const { rendered } = await client.succeed(renderMessageText, { params });
        expect(rendered).to.include('<span class="nf">f</span>');
      },
    ],
    [
      ["pictures"],
      async () => {
        const { status } = await avatar();
        expect(status).to.equal(200);
      },
    ],
    [
      ["reference"],
      async () => {
        const { status } = await page();
        expect(status).to.equal(200);
      },
    ],
    [
      // The dictionaries are loaded by a thread.
      [],
      async (client, n) => {
        const { body } = await client.call(createUser, {
          params: { email: `new${n}@carillon.test`, full_name: `New ${n}`, password: "password" },
        });
        expect(body).to.have.property("msg").that.includes("most common");
      },
    ],
    [
      ["prisma", "prisma's compiler"],
      async (client, n) => {
        const draft = { type: "", to: [], topic: "", content: `a draft ${n}`, timestamp: 1 };
        await client.succeed(createDrafts, { params: { drafts: [draft] } });
      },
    ],
    [
      ["re2"],
      async (client, n) => {
        const params = { pattern: `#${n}-(?P<id>\\d+)`, url_template: "https://bugs.test/{id}" };
        await client.succeed(createLinkifier, { params });
      },
    ],
  ];
}

async function loaded({ child }: TestProcess): Promise<Part[]> {
  const answer = once(child, "message") as Promise<[{ scripts: string[] }]>;
  child.send("scripts");
  const [{ scripts }] = await answer;
  return (Object.keys(parts) as Part[]).filter((part) =>
    scripts.some((script) => !script.startsWith("node:") && parts[part].test(script)),
  );
}
