import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, Server as TlsServer } from "node:tls";

import {
  certificate,
  startFaultProxy,
  useDatabase,
  waitFor,
  type FaultProxy,
} from "@carillon/testkit";
import { expect } from "chai";

import { connectDatabase } from "./connect-database.ts";
import { DatabaseClient } from "./database-client.ts";
import { listenOn } from "./listen.ts";
import { sqlState } from "./sql-errors.ts";

describe("failover between several database servers", () => {
  const db = useDatabase();
  let first: FaultProxy;
  let second: FaultProxy;

  beforeEach(async () => {
    first = await startFaultProxy(db.url);
    second = await startFaultProxy(db.url);
  });
  afterEach(async () => {
    await first.close();
    await second.close();
    await Promise.all(fakeServers.splice(0).map((server) => server.close()));
  });

  const urlOf = (...ports: number[]) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
    return db.url.replace(/@[^/]*/, `@${hosts}`);
  };
  const both = () => urlOf(first.port, second.port);
  const connected = async (url: string, more: object = {}) => {
    const client = new DatabaseClient({ connectionString: url, ...more });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  /** Each server has half of these milliseconds, which is enough for one that answers on a busy machine. */
  const connectMs = 5_000;
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => new Error("no failure"),
      (error: unknown) => error as Error,
    );
  /** Makes sessions of these ports read-only from the beginning, as a standby's are. */
  const readOnly = (url: string) => `${url}?options=-c%20default_transaction_read_only%3Don`;

  it("connects to the first server that answers, in the order of the URL", async () => {
    const client = await connected(both());
    expect([client.port, second.accepted]).to.deep.equal([first.port, 0]);
    await client.end();
  });

  it("connects to the next if the first refuses connections, and stays there when the first is back", async () => {
    await first.refuse();
    const client = await connected(both());
    expect(client.port).to.equal(second.port);
    await first.heal();
    const later = await connected(both());
    expect(later.port).to.equal(second.port);
    await Promise.all([client.end(), later.end()]);
  });

  it("connects to the next, within the time for a connection, if the first accepts connections and does not answer", async () => {
    first.freeze();
    const client = await connected(both(), { connectionTimeoutMillis: connectMs });
    expect(client.port).to.equal(second.port);
    await client.end();
  });

  it("connects to the next if the first starts or stops", async () => {
    const starting = await startRefusingServer("57P03");
    const client = await connected(urlOf(starting.port, second.port));
    expect(client.port).to.equal(second.port);
    await client.end();
  });

  it("fails if the first does not accept the user, as with libpq", async () => {
    const strict = await startRefusingServer("28P01");
    const refusal = await failure(connected(urlOf(strict.port, second.port)));
    expect([sqlState(refusal), second.accepted]).to.deep.equal(["28P01", 0]);
  });

  it("fails if all are read-only, with an error that names the variable, the servers and the remedy", async () => {
    const refusal = await failure(connectDatabase(readOnly(both()), { max: 1, name: "read-only" }));
    expect(refusal.message).to.equal(
      `DATABASE_URL: none of its servers accepts writes: 127.0.0.1:${first.port} is read-only, ` +
        `127.0.0.1:${second.port} is read-only; promote a standby, or name the server that is the primary`,
    );
  });

  it("fails if two servers accept writes, with an error that names both", async () => {
    const refusal = await failure(connectDatabase(both(), { max: 1, name: "split" }));
    expect(refusal.message).to.match(
      /^DATABASE_URL: 2 of its servers accept writes, 127\.0\.0\.1:\d+ \(timeline 1\) and .*: stop all but the one/,
    );
  });

  it("skips an old primary while the server that was promoted after it restarts", async () => {
    const [old, promoted] = [await startPrimary(1), await startPrimary(2)];
    const url = urlOf(old.port, promoted.port);
    await old.close();
    const client = await connected(url);
    expect(client.port).to.equal(promoted.port);
    await promoted.close();
    await startPrimary(1, old.port);
    const refusal = await failure(connected(url));
    expect(refusal.message).to.equal(
      "no connection to a server that accepts writes: " +
        `127.0.0.1:${promoted.port} ECONNREFUSED, 127.0.0.1:${old.port} is on timeline 1, older than 2`,
    );
    await startPrimary(2, promoted.port);
    const later = await connected(url);
    expect(later.port).to.equal(promoted.port);
    await later.end();
  });

  it("uses a server that refuses to tell its timeline", async () => {
    const silent = await startPrimary(undefined);
    const client = await connected(urlOf(silent.port, second.port));
    expect(client.port).to.equal(silent.port);
    await client.end();
  });

  it("connects to no further server after the client was closed", async () => {
    first.freeze();
    const client = new DatabaseClient({
      connectionString: both(),
      connectionTimeoutMillis: 1_000,
    });
    client.on("error", () => {});
    client.connect().catch(() => {});
    await waitFor(() => first.accepted === 1, { what: "it connects" });
    let closed = false;
    void client.end().then(() => (closed = true));
    await waitFor(() => closed || second.accepted > 0, { what: "it has given the first up" });
    expect(second.accepted).to.equal(0);
  });

  it("begins with TLS if the URL has sslnegotiation=direct", async () => {
    const server = createTlsServer({ ...certificate, ALPNProtocols: ["postgresql"] });
    const primary = await startPrimary(1, 0, server);
    const url = `${urlOf(primary.port, second.port)}?sslmode=no-verify&sslnegotiation=direct`;
    const client = await connected(url);
    expect(client.port).to.equal(primary.port);
    await client.end();
  });

  it("closes all connections to the old server when one has reached another server", async () => {
    const before = await connected(both());
    const ended = new Promise((resolve) => before.once("end", resolve));
    const running = failure(before.query("SELECT pg_sleep(60)"));
    await waitFor(
      async () =>
        (await db.rows("SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'")).length,
      { what: "a statement runs on the first" },
    );
    // New connections fail there, and this one still works.
    first.freeze();
    const after = await connected(both(), { connectionTimeoutMillis: connectMs });
    expect(after.port).to.equal(second.port);
    expect((await running).message).to.include("another server accepts writes now");
    await ended;
    await after.end();
  });

  it("closes a connection whose server reports that it is read-only", async () => {
    const client = await connected(both());
    const ended = new Promise((resolve) => client.once("end", resolve));
    await client.query("SET default_transaction_read_only = on").catch(() => {});
    await ended;
  });

  it("closes a connection after a write that the server refuses as read-only", async () => {
    const client = await connected(both());
    const ended = new Promise((resolve) => client.once("end", resolve));
    await client.query("BEGIN READ ONLY");
    expect(sqlState(await failure(client.query("CREATE TABLE refused ()")))).to.equal("25006");
    await ended;
  });

  it("listens on the next server after the first has died", async () => {
    const heard: string[] = [];
    let connections = 0;
    const listening = listenOn(both(), "news", {
      onNotification: (payload) => heard.push(payload),
      onConnected: () => connections++,
      onLost: () => {},
    });
    await waitFor(() => connections === 1, { what: "it listens" });
    await first.refuse();
    await waitFor(() => connections === 2, { what: "it listens again" });
    await db.rows("SELECT pg_notify('news', 'hello')");
    await waitFor(() => heard.length > 0, { what: "it hears" });
    expect(heard).to.deep.equal(["hello"]);
    await listening.close();
  });
});

/** The servers of the running test, closed after it. */
const fakeServers: FakeServer[] = [];

interface FakeServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a server that refuses every session with this SQLSTATE. */
function startRefusingServer(code: string): Promise<FakeServer> {
  return startFakeServer((socket) => {
    socket.once("data", () => socket.end(message("E", `SFATAL\0VFATAL\0C${code}\0Mnot now\0\0`)));
  });
}

/** Starts a primary on this timeline that answers nothing else; undefined if it refuses to tell. */
function startPrimary(
  timeline: number | undefined,
  port = 0,
  server: Server = createServer(),
): Promise<FakeServer> {
  const ready = message("Z", "I");
  const answer =
    timeline === undefined
      ? [message("E", "SERROR\0VERROR\0C42501\0Mpermission denied\0\0"), ready]
      : [row("7", String(timeline)), message("C", "SELECT 1\0"), ready];
  return startFakeServer(
    (socket) => {
      socket.once("data", () => {
        socket.write(Buffer.concat([message("R", "\0\0\0\0"), ready]));
        socket.on("data", (query) => {
          if (String(query).startsWith("Q")) socket.write(Buffer.concat(answer));
        });
      });
    },
    port,
    server,
  );
}

/** Returns a message of PostgreSQL's protocol. */
function message(type: string, body: string): Buffer {
  const head = Buffer.from([type.charCodeAt(0), 0, 0, 0, 0]);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

function row(...fields: string[]): Buffer {
  const cells = fields.map((field) => `\0\0\0${String.fromCharCode(field.length)}${field}`);
  return message("D", `\0${String.fromCharCode(fields.length)}${cells.join("")}`);
}

async function startFakeServer(
  onConnection: (socket: Socket) => void,
  port = 0,
  server: Server = createServer(),
): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  const event = server instanceof TlsServer ? "secureConnection" : "connection";
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const fake: FakeServer = {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  fakeServers.push(fake);
  return fake;
}
