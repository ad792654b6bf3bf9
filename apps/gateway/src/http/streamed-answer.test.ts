import { once } from "node:events";
import { connect } from "node:net";
import { operation } from "@carillon/contract";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { handlerFor } from "./handler.ts";
import { Pages } from "./pages.ts";
import { basic, startGateway, type Gateway } from "../test-support/sample-gateway.ts";

describe("a streamed answer", () => {
  const list = operation({
    id: "list-things",
    method: "GET",
    path: "/api/v1/things",
    access: "account",
    result: { things: z.array(z.unknown()) },
    summary: "Things",
  });
  let things: unknown[];
  let gateway: Gateway;
  /** Where it is set, the list is read in these pages. */
  let pages: (() => AsyncGenerator<unknown[]>) | undefined;
  const handlers = [
    handlerFor<{ log: string[] }>()(list, async () => ({
      things: pages ? new Pages(pages) : things,
    })),
  ];
  before(async () => {
    gateway = await startGateway({ handlers, checkResults: false });
  });
  after(() => gateway.stop());
  beforeEach(() => {
    things = Array.from({ length: 5_000 }, (_, id) => ({ id, name: "ä".repeat(100) }));
    gateway.lines.length = 0;
    pages = undefined;
  });

  const head = `GET /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic("member@carillon.test:member")}\r\n\r\n`;
  /** Everything that comes until the connection ends. */
  async function received(): Promise<string> {
    const socket = connect(gateway.port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
    socket.write(head);
    await once(socket, "close");
    return Buffer.concat(chunks).toString();
  }
  const loggedLine = (text: string, { lines } = gateway) =>
    waitFor(() => lines.find(({ msg }) => msg === text), { what: `the log says: ${text}` });
  const broken = {
    toJSON() {
      throw new Error("the secret reason");
    },
  };

  it("becomes a generic error when writing it fails before the first byte", async () => {
    things.push(broken);
    const { status, text } = await gateway.send("GET", "/api/v1/things");
    expect(status).to.equal(500);
    expect(text).to.include("INTERNAL_ERROR").and.not.to.include("secret");
  });

  it("is logged with the bytes that were sent", async () => {
    const { text } = await gateway.send("GET", "/api/v1/things");
    const { bytes } = await loggedLine("request");
    expect(text).to.have.length.greaterThan(500_000);
    expect(bytes).to.equal(Buffer.byteLength(text));
  });

  it("is aborted when the client stops reading", async () => {
    const impatient = await startGateway({ handlers, checkResults: false, stalledMs: 500 });
    // More than the buffers of both ends hold.
    things = Array.from({ length: 200_000 }, (_, id) => ({ id, name: "x".repeat(200) }));
    const socket = connect(impatient.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head);
    await once(socket, "readable");
    const { bytes } = await loggedLine("request", impatient);
    expect(bytes).to.be.below(40_000_000);
    socket.destroy();
    await impatient.stop();
  });

  it("is the same when its list is read in pages", async () => {
    pages = async function* () {
      yield things.slice(0, 10);
      yield [];
      yield things.slice(10);
    };
    const { text } = await gateway.send("GET", "/api/v1/things?x=1");
    const ignored_parameters_unsupported = ["x"];
    expect(text).to.equal(
      JSON.stringify({ result: "success", msg: "", things, ignored_parameters_unsupported }),
    );
    pages = async function* () {};
    expect((await gateway.send("GET", "/api/v1/things")).text).to.equal(
      '{"result":"success","msg":"","things":[]}',
    );
  });

  it("stops reading pages when the client stops reading", async () => {
    const impatient = await startGateway({ handlers, checkResults: false, stalledMs: 500 });
    const all = 400;
    let read = 0;
    let ended = false;
    pages = async function* () {
      try {
        for (; read < all; read++) yield ["x".repeat(200_000)];
      } finally {
        ended = true;
      }
    };
    const socket = connect(impatient.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head);
    await once(socket, "readable");
    await loggedLine("request", impatient);
    await waitFor(() => ended, { what: "the reading has ended" });
    expect(read).to.be.within(1, all / 2);
    socket.destroy();
    await impatient.stop();
  });

  it("closes the connection when a page cannot be read", async () => {
    pages = async function* () {
      yield things;
      throw new Error("the secret reason");
    };
    const text = await received();
    expect(text).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text.endsWith("0\r\n\r\n"), "the last chunk").to.equal(false);
    expect(text).not.to.include("secret");
    await loggedLine("answer could not be sent");
  });
});
