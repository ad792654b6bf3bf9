import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { operation } from "@carillon/contract";
import { expect } from "chai";
import * as z from "zod";
import { handlerFor } from "./handler.ts";
import { Pages } from "./pages.ts";
import { basic, startGateway, type Gateway } from "../test-support/sample-gateway.ts";

describe("Compression of answers", () => {
  const list = operation({
    id: "list-things",
    method: "GET",
    path: "/api/v1/things",
    access: "account",
    result: { things: z.unknown() },
    summary: "Things",
  });
  let things: unknown;
  let gateway: Gateway;
  const handle = handlerFor<{ log: string[] }>();
  before(async () => {
    const handlers = [handle(list, async () => ({ things }))];
    gateway = await startGateway({ handlers, checkResults: false });
  });
  after(() => gateway.stop());

  const texts = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: "ä €" }));
  const forms: Record<string, () => unknown> = {
    "a small answer": () => texts(100),
    "one that is written in slices": () => texts(20_000),
    "one that is read in pages": () =>
      new Pages(async function* () {
        yield texts(30_000);
        yield texts(2);
      }),
  };

  /** The answer's bytes and headers. */
  async function ask(accept?: string) {
    const { body: bytes, ...reply } = await gateway.fetchBytes("/api/v1/things", {
      authorization: basic("member@carillon.test:member"),
      ...(accept === undefined ? {} : { "accept-encoding": accept }),
    });
    return { ...reply, bytes };
  }
  const unpacked: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
  };

  for (const [name, make] of Object.entries(forms))
    for (const [coding, unpack] of Object.entries(unpacked))
      it(`sends ${name} as ${coding} to clients that accept it, unchanged after decompression`, async () => {
        things = make();
        const whole = await ask();
        expect(whole.headers["content-encoding"]).to.equal(undefined);
        things = make();
        const { headers, bytes } = await ask(coding);
        expect(headers).to.include({ "content-encoding": coding, vary: "Accept-Encoding" });
        expect(headers["content-type"]).to.equal("application/json");
        expect(bytes.length).to.be.below(whole.bytes.length / 5);
        expect(unpack(bytes).equals(whole.bytes)).to.equal(true);
        if (headers["content-length"] !== undefined)
          expect(Number(headers["content-length"])).to.equal(bytes.length);
      });

  it("compresses answers from 1,000 characters on", async () => {
    const empty = JSON.stringify({ result: "success", msg: "", things: "" }).length;
    things = "x".repeat(999 - empty);
    const shorter = await ask("gzip");
    expect(shorter.bytes.length).to.equal(999);
    expect(shorter.headers).not.to.have.any.keys("content-encoding", "vary");
    things = "x".repeat(1_000 - empty);
    expect((await ask("gzip")).headers).to.include({ "content-encoding": "gzip" });
    const plain = await ask();
    expect(plain.headers["content-encoding"]).to.equal(undefined);
    expect(plain.headers.vary, "caches learn that there are others").to.equal("Accept-Encoding");
  });

  for (const [accept, coding] of [
    ["gzip, deflate, br", "gzip"],
    ["br, gzip", "br"],
    ["gzip;q=0.5, br;q=0.8", "br"],
    ["gzip;q=0.8, br;q=0.5, identity;q=0.1", "gzip"],
    ["*", "br"],
    ["*;q=0, gzip", "gzip"],
    ["GZIP", "gzip"],
    ["zstd, deflate, compress", undefined],
    ["gzip;q=0, br;q=0", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["identity;q=0, deflate", undefined],
    ["", undefined],
    ["gzip;q=nonsense, ;;;,,", undefined],
  ] as const)
    it(`chooses ${coding ?? "no coding"} for "${accept}"`, async () => {
      things = texts(100);
      const { status, headers } = await ask(accept);
      expect([status, headers["content-encoding"]]).to.deep.equal([200, coding]);
    });

  it("compresses small answers, too, if the client refuses identity", async () => {
    things = [];
    const { headers, bytes } = await ask("gzip, identity;q=0");
    expect(headers["content-encoding"]).to.equal("gzip");
    expect(JSON.parse(gunzipSync(bytes).toString())).to.deep.include({ things: [] });
  });

  for (const [name, make] of Object.entries({
    "a small answer": () => [{ api_key: "x" }, texts(100)],
    "one that is written in slices": () => [texts(20_000), { bots: [{ api_key: "x" }] }],
  }))
    it(`does not compress ${name} when a field holds a secret`, async () => {
      things = make();
      const { headers, bytes } = await ask("gzip, br");
      expect(headers["content-encoding"]).to.equal(undefined);
      expect(JSON.parse(bytes.toString())).to.have.property("things");
    });

  it("compresses an answer with a text that looks like a secret field", async () => {
    things = [{ content: '"api_key":"x"' }, texts(100)];
    expect((await ask("gzip")).headers["content-encoding"]).to.equal("gzip");
  });

  it("closes the connection when compression fails midway", async () => {
    things = new Pages(async function* () {
      yield texts(50_000);
      throw new Error("the database went away");
    });
    const error = await ask("gzip").catch((thrown: NodeJS.ErrnoException) => thrown);
    expect(error).to.be.instanceOf(Error).with.property("code", "ECONNRESET");
  });
});
