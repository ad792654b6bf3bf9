import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import {
  deleteBotStorage,
  getBotStorage,
  maxStorageEntries,
  updateBotStorage,
} from "@carillon/contract";
import {
  bot,
  countQueries,
  refused,
  refusedWith,
  startGateway,
  useScene,
  waitFor,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

const limit = 10_000_000;
const path = "/api/v1/bot_storage";
const form = "application/x-www-form-urlencoded";

describe("Bot storage: large requests", () => {
  const scene = useScene();
  let own: TestAccount;
  beforeEach(async () => {
    own = await bot(scene.db, scene.org.member);
  });

  const store = (storage: unknown, as: "form" | "multipart" = "form") =>
    scene.as(own).succeed(updateBotStorage, { params: { storage }, as });
  const get = async (keys?: readonly string[]) =>
    (await scene.as(own).succeed(getBotStorage, { params: { keys } })).storage;
  type Storage = Readonly<Record<string, string>>;
  // Not `deep.equal`: its failure message would be megabytes long.
  const textOf = (storage: Storage) =>
    JSON.stringify(Object.entries(storage).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const same = (a: Storage, b: Storage, what: string) =>
    expect(textOf(a) === textOf(b), what).to.equal(true);
  const rows = async () =>
    (
      await scene.db.rows<{ count: number }>(
        "SELECT count(*)::int AS count FROM bot_storage_parts WHERE bot_id = $1",
        [own.id],
      )
    )[0]?.count;

  it("stores exactly as many characters as the limit allows", async () => {
    const whole = { a: "x".repeat(limit - 1) };
    await store(whole);
    same(await get(), whole, "what is stored");
    same(await get(["a"]), whole, "what is stored under the key");
    const more = { a: "y".repeat(limit) };
    const ask = () => scene.as(own).call(updateBotStorage, { params: { storage: more } });
    const { msg } = await refused(scene.db, ask, "BAD_REQUEST", {});
    expect(msg).to.match(/\b1 characters\b.*\b10000000 characters\b/);
    await scene.as(own).succeed(deleteBotStorage);
    expect(await get()).to.deep.equal({});
  });

  it("keeps characters whole across the pieces of a request and of a row", async () => {
    const units = ["😀", "é", "a", "\\u00e4", "\\ud83d\\ude00", '\\"', "✓😀x"];
    const texts = units.map((unit, n) => "x".repeat(n) + unit.repeat(200_000 / unit.length));
    const json = `{${texts.map((text, n) => `"${n}${n < 4 ? text : ""}":"${text}"`).join()}}`;
    const meant = JSON.parse(json) as Record<string, string>;
    for (const as of ["form", "multipart"] as const) {
      await store(json, as);
      const stored = await get();
      for (const [key, value] of Object.entries(meant))
        expect(stored[key] === value, `${as}: ${key.slice(0, 10)}`).to.equal(true);
      expect(Object.keys(stored)).to.have.length(units.length);
    }
    const deflated = gzipSync(`storage=${encodeURIComponent(json)}`);
    const headers = { "Content-Type": form, "Content-Encoding": "gzip" };
    await scene.as(own).succeed(deleteBotStorage);
    const { status } = await scene.as(own).send("PUT", path, { body: deflated, headers });
    expect(status).to.equal(200);
    expect(Object.keys(await get())).to.have.length(units.length);
  });

  it("replaces long entries with short ones and short ones with long ones completely", async () => {
    const longs = { k: "x".repeat(300_000), ["n".repeat(150_000)]: "y".repeat(150_000) };
    for (const value of ["1", "z".repeat(200_000), "", "w".repeat(70_000), "2"]) {
      await store(longs);
      await store({ k: value });
      same(await get(["k"]), { k: value }, "what is stored under the key");
    }
    same(await get(), { ...longs, k: "2" }, "everything");
    const [row] = await scene.db.rows<{ size: number }>(
      "SELECT size::int AS size FROM bot_storage_usage WHERE bot_id = $1",
      [own.id],
    );
    expect(row?.size).to.equal(300_002);
    await scene.as(own).succeed(deleteBotStorage, { params: { keys: ["n".repeat(150_000)] } });
    same(await get(), { k: "2" }, "what is left");
    expect(await rows()).to.equal(1);
  });

  it("stores the last value of a key that is given twice, long or short", async () => {
    const long = "x".repeat(100_000);
    await store(`{"a":"1","b":"${long}","a":"${long}y","b":"2","a":"3","c":"1","c":"${long}"}`);
    same(await get(), { a: "3", b: "2", c: long }, "what is stored");
    await store(`{"":"1",${`"k":"${"v".repeat(50_000)}",`.repeat(5)}"":"2","k":"end"}`);
    same(await get(["", "k"]), { "": "2", k: "end" }, "what is stored then");
  });

  it("stores tens of thousands of entries in few statements", async () => {
    const entries = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, String(n)]));
    const some = await countQueries(scene.db, () => store(entries(1_000)));
    const many = await countQueries(scene.db, () => store(entries(40_000)));
    expect(many.count - some.count).to.be.at.most(10);
    const reading = await countQueries(scene.db, () => get());
    same(reading.result, entries(40_000), "what is stored");
    expect(reading.count).to.be.at.most(30);
    // Each of them twice, in another spelling.
    await store(JSON.stringify(entries(10_000)).replaceAll("key", "\\u006bey"));
    expect(await rows()).to.equal(40_000);
  });

  it("refuses more than 100,000 entries and stores none of them", async () => {
    const entries = (count: number) =>
      `{${Array.from({ length: count }, (_, n) => `"${n}":""`).join()}}`;
    const storage = entries(maxStorageEntries + 1);
    const refusal = await refused(scene.db, () =>
      scene.as(own).call(updateBotStorage, { params: { storage } }),
    );
    expect(refusal.msg).to.contain("100000 entries");
  });

  it("treats the other parameters as every operation does", async () => {
    const long = "x".repeat(1_200_000);
    const answer = await scene.as(own).send("PUT", `${path}?storage={}&q=1`, {
      body: `?junk=${long}&storage=%7B%22a%22:1%7D&=${long}&client=tester&storage=%7B%22a%22:%22${long}%22%7D&&x`,
      headers: { "Content-Type": form },
    });
    expect(answer.body).to.deep.equal({
      result: "success",
      msg: "",
      ignored_parameters_unsupported: ["junk", "q", "x"],
    });
    same(await get(), { a: long }, "the last one of the body");
    const byQuery = await scene.as(own).send("PUT", `${path}?storage=%7B%22a%22:%221%22%7D`);
    expect([byQuery.status, await get()]).to.deep.equal([200, { a: "1" }]);
    const send =
      (body: string, type = form) =>
      () =>
        scene.as(own).send("PUT", path, { body, headers: { "Content-Type": type } });
    await refused(scene.db, send("a=1&".repeat(1_001)), "BAD_REQUEST", {});
    await refused(scene.db, send(`${"n".repeat(5_000)}=1`), "BAD_REQUEST", {});
    await refused(scene.db, send("--x\r\n", "multipart/form-data; boundary=x"), "BAD_REQUEST", {});
    await refused(scene.db, send("", "multipart/form-data"), "BAD_REQUEST", {});
    for (const type of ["application/json", "text/plain"])
      await refused(scene.db, send('{"storage":{}}', type), "REQUEST_VARIABLE_MISSING");
    const notZipped = () =>
      scene.as(own).send("PUT", path, {
        body: "storage={}",
        headers: { "Content-Type": form, "Content-Encoding": "gzip" },
      });
    await refused(scene.db, notZipped, "BAD_REQUEST", {});
  });

  it("refuses bodies of more than twelve bytes a character plus 1 MiB, and keeps connections usable", async () => {
    const gateway = await startGateway(scene.db, { botStorageLimit: 1_000 });
    const most = 12 * 1_000 + 1024 * 1024;
    const padded = (bytes: number) => {
      const head = "storage=%7B%22a%22:%221%22%7D&junk=";
      return head + "x".repeat(bytes - head.length);
    };
    const send = (body: string | Uint8Array<ArrayBuffer>, more = {}) =>
      gateway.as(own).send("PUT", path, { body, headers: { "Content-Type": form, ...more } });
    expect((await send(padded(most))).status).to.equal(200);
    refusedWith(await send(padded(most + 1)), "REQUEST_TOO_LARGE", {});
    const bomb = new Uint8Array(gzipSync(padded(most + 1)));
    refusedWith(await send(bomb, { "Content-Encoding": "gzip" }), "REQUEST_TOO_LARGE", {});
    // Only bots may send bodies of this size; other callers are refused after the request's head.
    const person = gateway.as(scene.org.member);
    const body = padded(most + 1);
    const headers = { "Content-Type": form };
    refusedWith(await person.send("PUT", path, { body, headers }), "PERMISSION_DENIED", {});
    expect((await send("storage={}")).status).to.equal(200);
    await gateway.close();
  });

  it("reads two large bodies at a time, and other requests do not wait for them", async () => {
    const bots = [own, ...(await Promise.all([1, 2].map(() => bot(scene.db, scene.org.member))))];
    const gateway = await startGateway(scene.db);
    const body = `storage=%7B%22a%22:%22${"x".repeat(2_000_000)}%22%7D`;
    /** Sends the head of a request, which asks whether its body is wanted now. */
    const ask = ({ email, apiKey }: TestAccount) => {
      const seen = { text: "", socket: connect(Number(new URL(gateway.url).port), "127.0.0.1") };
      seen.socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
      seen.socket.on("error", () => {});
      const basic = Buffer.from(`${email}:${apiKey}`).toString("base64");
      seen.socket.write(
        `PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${basic}\r\nContent-Type: ${form}\r\n` +
          `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      return seen;
    };
    const asked = bots.map(ask);
    const wanted = () => asked.filter(({ text }) => text.startsWith("HTTP/1.1 100 Continue"));
    try {
      await waitFor(() => wanted().length >= 2, { what: "two bodies are wanted" });
      for (const by of bots)
        await gateway.as(by).succeed(updateBotStorage, { params: { storage: { b: "1" } } });
      expect(wanted()).to.have.length(2);
      const [first] = wanted();
      first?.socket.write(body);
      await waitFor(() => first?.text.includes("HTTP/1.1 200") && wanted().length === 3, {
        what: "the first body is answered and the third is wanted",
      });
    } finally {
      for (const { socket } of asked) socket.destroy();
      await gateway.close();
    }
  });

  it("limits concurrent large requests of one bot and of many bots", async () => {
    const bots = [
      own,
      ...(await Promise.all([1, 2, 3, 4, 5].map(() => bot(scene.db, scene.org.member)))),
    ];
    const storage = { a: "x".repeat(1_100_000) };
    const asked = [...bots, own, own].map((by) =>
      scene.as(by).call(updateBotStorage, { params: { storage } }),
    );
    for (const answer of await Promise.all(asked)) expect(answer.status).to.equal(200);
    const read = [...bots, own, own].map((by) => scene.as(by).succeed(getBotStorage));
    for (const answer of await Promise.all(read)) same(answer.storage, storage, "what is stored");
    // A request's slot is released even if its client does not read the response.
    for (let n = 0; n < 6; n++) {
      expect((await scene.as(own).send("HEAD", path)).status).to.equal(200);
      const gone = new AbortController();
      const reading = scene.as(own).call(getBotStorage, { signal: gone.signal });
      gone.abort();
      await reading.catch(() => {});
    }
    same(await get(), storage, "what is stored");
  });
});
