import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ApiError, Client, type StreamEvent } from "@carillon/client";
import {
  authorization,
  bot,
  channel,
  clientOf,
  inSeconds,
  installation,
  makeDue,
  organization,
  remind,
  schedule,
  startCarillon,
  type TestAccount,
  type TestProcess,
  upload,
  useDatabase,
  useProcesses,
  type Variables,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { carillon } from "../faults/support/command-line.ts";
import { scenarioMs, waitTimeoutMs } from "../faults/support/patience.ts";
import { CellProxy, type Connection } from "./support/cell-proxy.ts";
import { hasProgram } from "./support/nginx.ts";

const topic = "move";

describe("An organization that is moved between cells behind nginx, with the files in deploy", () => {
  const databases = { west: useDatabase(), east: useDatabase() };
  const variables: Record<string, Variables> = {};
  const gateways: Record<string, TestProcess & { url: string }> = {};
  let folder: string;
  let proxy: CellProxy;

  after(async () => {
    await proxy?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });
  // Its hook kills processes after the hook above has stopped nginx.
  const processes = useProcesses();
  before(async function () {
    if (!["nginx", "openssl"].every(hasProgram)) this.skip();
    folder = await mkdtemp(join(tmpdir(), "carillon-moved-cell-"));
    proxy = await CellProxy.create();
    await Promise.all(
      (["west", "east"] as const).map(async (cell) => {
        const own = {
          ...installation(databases[cell].url),
          PUBLIC_URL: "https://example.com",
          TRUSTED_PROXIES: "127.0.0.1",
          RATE_LIMITS: "off",
          FILES_DIR: join(folder, cell),
        };
        variables[cell] = own;
        const [gateway] = await Promise.all([
          processes.gateway(variables[cell]),
          processes.worker(variables[cell]),
        ]);
        gateways[cell] = gateway;
        proxy.gateways.set(cell, Number(new URL(gateway.url).port));
      }),
    );
    // Another organization in the new cell, which may have ids that the moved one has in the old cell.
    await organization(databases.east, { subdomain: "present" });
    proxy.hosts.set("present.example.com", "east");
    await proxy.start(processes);
  });

  it("loses nothing when nginx is reloaded before the deactivation, twice", () =>
    moves("bells", async ({ deactivate, reload }) => {
      await reload();
      await reload();
      await deactivate();
    })).timeout(scenarioMs);

  it("loses nothing when it is deactivated before nginx is reloaded", () =>
    moves("chimes", async ({ deactivate, reload, clients }) => {
      await deactivate();
      await waitForAll(clients, "every client waits", ({ refusals }) =>
        refusals.some((msg) => msg.includes("is moving to another server")),
      );
      await reload();
    })).timeout(scenarioMs);

  it("is answered with 503 while its new cell is down, and its clients continue when the cell is back; another cell serves on", async () => {
    const { west } = databases;
    const onWest = variables["west"] ?? {};
    const onEast = variables["east"] ?? {};
    const down = gateways["east"];
    const port = new URL(down?.url ?? "").port;
    const staying = await organization(west, { subdomain: "staying" });
    const org = await organization(west, { subdomain: "gongs", name: "gongs" });
    const room = await channel(west, org.realm, { subscribers: [org.owner, org.member] });
    proxy.hosts.set("staying.example.com", "west").set("gongs.example.com", "west");
    await proxy.writeHosts();
    await proxy.reload();
    const ended = new AbortController();
    const statuses = new Set<number>();
    const registrations: StreamEvent[] = [];
    const heard: string[] = [];
    const following = follow();
    try {
      await waitFor(() => registrations.length === 1, { what: "the client has registered" });
      const backup = join(folder, "export-gongs");
      const named = ["--organization", "gongs"];
      await carillon(["organization", "export", backup, "--final", ...named], onWest);
      await carillon(["organization", "import", backup], onEast);
      await down?.stop();
      proxy.hosts.set("gongs.example.com", "east");
      await proxy.writeHosts();
      await proxy.reload();
      await carillon(["organization", "deactivate", ...named], onWest);

      for (const method of ["GET", "POST"]) {
        const answer = await proxy.fetch("https://gongs.example.com/api/v1/messages", {
          method,
          headers: authorization({ email: org.member.deliveryEmail, apiKey: org.member.apiKey }),
        });
        expect([answer.status, answer.headers.get("retry-after")], method).to.deep.equal([
          503,
          "5",
        ]);
        expect(answer.headers.get("content-type")).to.equal("application/json");
        expect(answer.headers.get("strict-transport-security")).to.match(/max-age/);
        expect(await answer.json()).to.deep.equal({
          result: "error",
          msg: "The server of this organization does not answer. Whether this request was carried out is not known. Try again in a few seconds.",
          code: "INTERNAL_ERROR",
        });
      }
      const other = await proxy.ask("staying", { path: "/api/v1/users/me", as: staying.member });
      expect([other.status, other.body["user_id"]]).to.deep.equal([200, staying.member.id]);
      await waitFor(() => statuses.has(503), {
        what: "the client is told to wait",
        timeoutMs: waitTimeoutMs,
      });

      gateways["east"] = await processes.gateway({ ...onEast, PORT: port });
      await waitFor(() => registrations.length === 2, {
        what: "the client has registered in the new cell",
        timeoutMs: waitTimeoutMs,
      });
      const sent = await proxy.ask("gongs", {
        path: "/api/v1/messages",
        form: { type: "channel", to: `"${room.name}"`, topic, content: "after" },
        as: org.owner,
      });
      expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
      await waitFor(() => heard.includes("after"), { what: "the client hears a message" });
      expect([...statuses]).not.to.include(401);
    } finally {
      ended.abort();
      await following;
    }

    async function follow(): Promise<void> {
      const client = new Client({
        site: "https://gongs.example.com",
        email: org.member.deliveryEmail,
        apiKey: org.member.apiKey,
        fetch: async (url, init) => {
          const response = await proxy.fetch(url, init);
          statuses.add(response.status);
          return response;
        },
      });
      const { signal } = ended;
      try {
        for await (const item of client.events({ event_types: ["message"], signal }))
          if (item.type === "registered") registrations.push(item);
          else if (item.type === "message") heard.push(item.message.content);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }).timeout(scenarioMs);

  interface Steps {
    readonly clients: readonly Person[];
    readonly deactivate: () => Promise<void>;
    readonly reload: () => Promise<void>;
  }

  /** Waits for a condition of all clients. Fails if one of them has failed. */
  async function waitForAll(
    clients: readonly Person[],
    what: string,
    condition: (one: Person, place: number) => boolean,
  ): Promise<void> {
    await waitFor(
      () => {
        for (const { failure } of clients) if (failure) throw failure;
        return clients.every(condition);
      },
      { what, timeoutMs: waitTimeoutMs },
    );
  }

  /** Moves an organization from west to east while its accounts write and poll. */
  async function moves(subdomain: string, change: (steps: Steps) => Promise<void>): Promise<void> {
    const { west, east } = databases;
    const onWest = variables["west"] ?? {};
    const onEast = variables["east"] ?? {};
    const host = `${subdomain}.example.com`;
    const org = await organization(west, { subdomain, name: subdomain });
    const robot = await bot(west, org.owner);
    const room = await channel(west, org.realm, { subscribers: [org.owner, org.member, robot] });
    proxy.hosts.set(host, "west");
    await proxy.writeHosts();
    await proxy.reload();

    const direct = clientOf(gateways["west"]?.url ?? "", org.member);
    const inRoom = (content: string) => ({ type: "channel", to: room.id, topic, content });
    await upload(direct, "menu.txt", "soup");
    const first = await direct.post("/api/v1/messages", inRoom("first"));
    const hour = { scheduled_delivery_timestamp: inSeconds(3_600) };
    const during = await schedule(direct, { ...inRoom("scheduled during"), ...hour });
    await schedule(direct, { ...inRoom("scheduled after"), ...hour });
    const reminder = await remind(direct, Number(first.body["id"]), { note: "reminder during" });

    const clients = [
      new Person(org.member, host, room.name, proxy.http2()),
      new Person(org.owner, host, room.name, { fetch: proxy.fetch, close: () => {} }),
      new Person(robot, host, room.name, { fetch: proxy.fetch, close: () => {} }),
    ];
    try {
      await waitForAll(
        clients,
        "clients write and hear each other",
        ({ said, heard }) => said.length > 5 && heard.size > 5,
      );
      const backup = join(folder, `export-${subdomain}`);
      const named = ["--organization", subdomain];
      const exporting = startCarillon(
        ["organization", "export", backup, "--final", ...named],
        onWest,
      );
      await waitFor(async () => (await isReadOnly(org.realm.id)) || !exporting.running(), {
        what: "the organization is read-only",
        everyMs: 10,
        timeoutMs: waitTimeoutMs,
      });
      for (const id of [during, reminder]) await makeDue(west, id);
      expect(await exporting.exit, exporting.output()).to.deep.equal({ code: 0, signal: null });
      const inWest = await texts("west", org.realm.id);
      await carillon(["organization", "import", backup], onEast);
      await change({
        clients,
        deactivate: async () => {
          await carillon(["organization", "deactivate", ...named], onWest);
        },
        reload: async () => {
          proxy.hosts.set(host, "east");
          await proxy.writeHosts();
          await proxy.reload();
        },
      });
      const changedAt = clients.map(({ said }) => said.length);
      await waitForAll(
        clients,
        "clients go on by themselves, and hear each other again",
        ({ said, heard, registrations }, n) =>
          registrations.length === 2 &&
          said.length > (changedAt[n] ?? 0) + 5 &&
          clients.every((other) => other.said.slice(changedAt[n]).some((one) => heard.has(one))),
      );
      await Promise.all(clients.map((one) => one.stop()));

      const [moved] = await east.rows<{ id: number }>(
        "SELECT id FROM realms WHERE subdomain = $1",
        [subdomain],
      );
      const realmId = moved?.id ?? 0;
      await east.rows(
        `UPDATE scheduled_messages SET deliver_at = now(), alarmed_at = NULL
         WHERE realm_id = $1 AND content = 'scheduled after'`,
        [realmId],
      );
      const wanted = [
        "first",
        "scheduled during",
        "scheduled after",
        ...clients.flatMap(({ said }) => said),
      ].toSorted();
      await waitFor(async () => (await texts("east", realmId)).length >= wanted.length, {
        what: "the new cell sends what is scheduled",
        timeoutMs: waitTimeoutMs,
      });
      expect((await texts("east", realmId)).toSorted()).to.deep.equal(wanted);
      expect(await texts("west", org.realm.id), "the old cell sends no more").to.deep.equal(inWest);
      const reminders = await east.rows(
        "SELECT FROM messages WHERE realm_id = $1 AND content LIKE '%reminder during%'",
        [realmId],
      );
      expect(reminders).to.have.length(1);
      expect(
        clients.flatMap(({ statuses }) => statuses.filter((one) => one === 401)),
      ).to.deep.equal([]);
      const { body } = await proxy.ask(subdomain, { path: "/api/v1/attachments", as: org.member });
      const [attachment] = body["attachments"] as Array<{ path_id: string }>;
      const read = await clientOf(gateways["east"]?.url ?? "", org.member).get(
        `/user_uploads/${attachment?.path_id}`,
      );
      expect(read.text).to.equal("soup");
    } finally {
      await Promise.all(clients.map((one) => one.stop().catch(() => undefined)));
    }
  }

  async function isReadOnly(realmId: number): Promise<boolean> {
    const found = "SELECT FROM realms WHERE id = $1 AND read_only_since IS NOT NULL";
    return (await databases.west.rows(found, [realmId])).length > 0;
  }

  async function texts(cell: "west" | "east", realmId: number): Promise<string[]> {
    const rows = await databases[cell].rows<{ content: string }>(
      "SELECT content FROM messages WHERE realm_id = $1 AND is_channel AND topic = $2 ORDER BY id",
      [realmId, topic],
    );
    return rows.map(({ content }) => content);
  }
});

/** A client that writes and polls at the host name of its organization. It repeats a message if the refusal permits that. */
class Person {
  /** Contents of the messages that were accepted. */
  readonly said: string[] = [];
  /** Contents of the messages in its events. */
  readonly heard = new Set<string>();
  readonly registrations: Array<Extract<StreamEvent, { type: "registered" }>> = [];
  /** Statuses of all answers, and bodies of the refusals. */
  readonly statuses: number[] = [];
  readonly refusals: string[] = [];
  /** The error that has ended its work. */
  failure: unknown;
  readonly #client: Client;
  readonly #ending = new AbortController();
  readonly #work: Promise<unknown>;
  readonly #close: () => void;

  constructor(account: TestAccount, host: string, room: string, { fetch, close }: Connection) {
    this.#close = close;
    this.#client = new Client({
      site: `https://${host}`,
      email: account.deliveryEmail,
      apiKey: account.apiKey,
      retries: 0,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        this.statuses.push(response.status);
        if (!response.ok) this.refusals.push(await response.clone().text());
        return response;
      },
    });
    this.#work = Promise.all([this.#write(account, room), this.#follow()]);
    this.#work.catch((error: unknown) => {
      this.failure = error;
      this.#ending.abort();
    });
  }

  async #write({ id }: TestAccount, room: string): Promise<void> {
    for (let n = 0; !this.#ending.signal.aborted; n++) {
      const content = `message ${id}-${n}`;
      while (!(await this.#says(room, content))) await pause(100);
      this.said.push(content);
      await pause(50);
    }
  }

  async #says(room: string, content: string): Promise<boolean> {
    try {
      await this.#client.sendMessage({ type: "channel", to: room, topic, content });
      return true;
    } catch (error) {
      // After any other error, the message may have been sent, or can never be sent.
      const mayRepeat =
        error instanceof ApiError &&
        error.status === 503 &&
        (error.code === "ORGANIZATION_READ_ONLY" || /nothing was changed/.test(error.message));
      if (!mayRepeat) throw error;
      return false;
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    const items = this.#client.events({ event_types: ["message"], signal });
    try {
      for await (const item of items)
        if (item.type === "registered") this.registrations.push(item);
        else if (item.type === "message") this.heard.add(item.message.content);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Stops after the message that is being sent. @throws the error that has ended its work */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#work;
    this.#close();
  }
}
