import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { expect } from "chai";
import { createTestDatabase, useDatabase } from "./database.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import { checkNothingLeaks, openResources } from "./leak-guard.ts";
import { templateDatabase } from "./template.ts";
import { waitFor } from "./wait-for.ts";

describe("waitFor", () => {
  it("returns the value that the condition returned", async () => {
    let looks = 0;
    const found = await waitFor(() => (++looks < 3 ? undefined : { looks }), {
      what: "three looks",
    });
    expect(found).to.deep.equal({ looks: 3 });
  });

  it("reports what it waited for and the last result", async () => {
    const failure = (look: () => unknown) =>
      waitFor(look, { what: "the moon is blue", timeoutMs: 30, everyMs: 5 }).catch(
        (error: Error) => error.message,
      );
    expect(await failure(() => false)).to.equal(
      "timed out after 30 ms until the moon is blue; the last check returned false",
    );
    const broken = () => {
      throw new Error("clouds");
    };
    expect(await failure(broken)).to.match(/; the last check threw: clouds$/);
  });
});

describe("The databases of the tests", () => {
  it("are copies of one template", async () => {
    const names = await Promise.all([templateDatabase(), templateDatabase()]);
    expect(new Set(names).size).to.equal(1);
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    expect(one.name).not.to.equal(two.name);
    const db = await one.connect();
    const found = await db.rows("SELECT to_regclass('bullmq.job') IS NOT NULL AS queues");
    expect(found).to.deep.equal([{ queues: true }]);
    await Promise.all([one.drop(), two.drop()]);
    await one.drop();
  });
});

describe("The fault proxy", () => {
  let echo: Server;
  let proxy: FaultProxy;

  before(async () => {
    echo = createServer((socket) => {
      socket.on("error", () => {});
      socket.pipe(socket);
    });
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    proxy = await startFaultProxy(`redis://127.0.0.1:${(echo.address() as AddressInfo).port}/2`);
  });
  after(async () => {
    await proxy.close();
    echo.close();
  });

  const talk = async () => {
    const socket = connect(proxy.port, "127.0.0.1");
    let heard = "";
    let closed = false;
    socket.setEncoding("utf8").on("data", (chunk: string) => (heard += chunk));
    socket.on("error", () => {});
    socket.on("close", () => (closed = true));
    await once(socket, "connect");
    return { socket, heard: () => heard, closed: () => closed };
  };

  it("forwards everything, under the target's address with its own port", async () => {
    expect(proxy.url).to.equal(`redis://127.0.0.1:${proxy.port}/2`);
    const { socket, heard } = await talk();
    socket.write("hello");
    await waitFor(() => heard() === "hello", { what: "the echo comes" });
    expect(proxy.connections).to.equal(1);
    socket.destroy();
    await waitFor(() => proxy.connections === 0, { what: "the connection is gone" });
  });

  it("drops connections and accepts new ones", async () => {
    const { closed } = await talk();
    proxy.drop();
    await waitFor(closed, { what: "the connection is closed" });
    const { socket, heard } = await talk();
    socket.write("again");
    await waitFor(() => heard() === "again", { what: "the echo comes" });
    socket.destroy();
  });

  it("freezes old and new connections without closing them, and forwards held data afterwards", async () => {
    const old = await talk();
    proxy.freeze();
    old.socket.write("one");
    const fresh = await talk();
    fresh.socket.write("two");
    await waitFor(() => proxy.connections === 2, { what: "both are connected" });
    expect([old.heard(), fresh.heard(), old.closed(), fresh.closed()]).to.deep.equal([
      "",
      "",
      false,
      false,
    ]);
    await proxy.heal();
    await waitFor(() => old.heard() === "one" && fresh.heard() === "two", { what: "both echo" });
    old.socket.destroy();
    fresh.socket.destroy();
  });

  it("refuses connections until it is healed, on the same port", async () => {
    const { closed } = await talk();
    await proxy.refuse();
    await waitFor(closed, { what: "the connection is closed" });
    const error: unknown = await talk().catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "ECONNREFUSED" });
    await proxy.heal();
    const { socket } = await talk();
    socket.destroy();
  });
});

describe("The leak guard", () => {
  it("reports a server that still listens, and nothing else", async () => {
    const earlier = openResources();
    await checkNothingLeaks(earlier);
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const error: unknown = await checkNothingLeaks(earlier, 50).catch((thrown: unknown) => thrown);
    server.close();
    expect(error).to.be.instanceOf(Error);
    expect((error as Error).message).to.contain("1 TCPServerWrap");
    await checkNothingLeaks(earlier);
  });

  const db = useDatabase();

  it("reports a pool that was not closed", async () => {
    const earlier = openResources();
    const other = await createTestDatabase();
    const forgotten = await other.connect();
    await forgotten.rows("SELECT 1");
    await db.rows("SELECT 1");
    const error: unknown = await checkNothingLeaks(earlier, 50).catch((thrown: unknown) => thrown);
    await other.drop();
    expect((error as Error).message).to.match(/\d TCPSocketWrap/);
  });
});
