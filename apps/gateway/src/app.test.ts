import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { errors, form, operation } from "@carillon/contract";
import { silentLogger, StartupError } from "@carillon/kit";
import { expect } from "chai";
import * as z from "zod";
import { buildApp } from "./app.ts";
import { handlerFor } from "./http/handler.ts";
import {
  basic,
  sampleHandlers,
  startGateway,
  type Gateway,
} from "./test-support/sample-gateway.ts";

const handle = handlerFor<{ log: string[] }>();

function sample(id: string, path = `/api/v1/${id}`) {
  return operation({
    id,
    method: "GET",
    path,
    access: "anyone",
    result: { n: z.int().optional() },
    summary: id,
  });
}

describe("buildApp", () => {
  const first = sample("first");
  const other = sample("other");
  const answer = async () => ({});

  function build(
    operations: Array<ReturnType<typeof sample>>,
    handlers: ReturnType<typeof handle>[],
  ) {
    return () =>
      buildApp({
        operations,
        handlers,
        services: { log: [] },
        authenticate: async () => ({ refused: "nobody" }),
        log: silentLogger,
      });
  }

  it("requires one handler for every operation and one operation for every handler", () => {
    expect(build([first], [handle(first, answer)])).to.not.throw();
    expect(build([first, other], [handle(first, answer)])).to.throw(
      StartupError,
      "other has no handler",
    );
    expect(build([first], [handle(first, answer), handle(other, answer)])).to.throw(
      StartupError,
      "other of a handler is not declared",
    );
    expect(build([first], [handle(first, answer), handle(first, answer)])).to.throw(
      StartupError,
      "first has two handlers",
    );
  });

  it("requires unique ids and routes", () => {
    const sameId = sample("first", "/api/v1/elsewhere");
    expect(build([first, sameId], [handle(first, answer), handle(sameId, answer)])).to.throw(
      StartupError,
      "two operations are called first",
    );
    const samePath = sample("second", "/api/v1/first");
    expect(build([first, samePath], [handle(first, answer), handle(samePath, answer)])).to.throw(
      StartupError,
      "two operations are at GET /api/v1/first",
    );
  });
});

describe("a request that goes wrong", () => {
  let gateway: Gateway;
  let aborted: string | undefined;
  const slow = sample("slow");
  const crash = sample("crash");
  before(async () => {
    gateway = await startGateway({
      checkResults: false,
      // Long enough for a busy machine to reach the handler in its first request.
      deadlineMs: 1_500,
      handlers: [
        handle(crash, async () => {
          throw new Error("the secret reason");
        }),
        handle(slow, ({ signal }) => {
          signal.addEventListener("abort", () => {
            aborted = String(signal.reason);
          });
          return new Promise(() => {});
        }),
      ],
    });
  });
  after(() => gateway.stop());

  it("is answered with 500 without details, and logged with the request's id", async () => {
    const { status, json, headers, text } = await gateway.send("GET", "/api/v1/crash");
    expect(status).to.equal(500);
    expect(json).to.deep.equal({ result: "error", msg: json["msg"], code: "INTERNAL_ERROR" });
    expect(text).to.not.contain("secret");
    const logged = gateway.lines.find((line) => line["err"] !== undefined);
    expect(logged).to.deep.include({ level: 50, requestId: headers["x-request-id"] });
    expect(logged?.["err"]).to.have.property("message", "the secret reason");
  });

  it("is answered with 503 at the deadline, and its work is aborted", async () => {
    const { status, json } = await gateway.send("GET", "/api/v1/slow");
    expect(status).to.equal(503);
    expect(json["code"]).to.equal("INTERNAL_ERROR");
    expect(aborted).to.contain("in time");
  });
});

describe("a long poll", () => {
  it("has no deadline, and learns when the client hangs up", async () => {
    const poll = operation({
      id: "poll",
      method: "GET",
      path: "/api/v1/poll",
      access: "anyone",
      longPoll: true,
      summary: "x",
    });
    let started: () => void = () => {};
    const running = new Promise<void>((resolve) => (started = resolve));
    let stopped: () => void = () => {};
    const hungUp = new Promise<void>((resolve) => (stopped = resolve));
    const gateway = await startGateway({
      deadlineMs: 1,
      handlers: [
        handle(poll, async ({ signal }) => {
          signal.addEventListener("abort", stopped);
          started();
          await hungUp;
        }),
      ],
    });
    const sent = request({
      host: "127.0.0.1",
      port: gateway.port,
      path: "/api/v1/poll",
      agent: false,
    });
    sent.on("error", () => {});
    sent.end();
    await running;
    sent.destroy();
    await hungUp;
    await gateway.stop();
  });
});

describe("checkResults", () => {
  const lying = sample("lying");
  const surprising = sample("surprising");
  const handlers = [
    // An answer that only a wrong cast gets past the compiler.
    handle(lying, async () => ({ n: "one" }) as unknown as { n: number }),
    handle(surprising, async () => {
      throw errors.channelAlreadyExists("general");
    }),
  ];

  it("fails answers and refusals that are not declared", async () => {
    const gateway = await startGateway({ handlers });
    const lie = await gateway.send("GET", "/api/v1/lying");
    expect(lie.status).to.equal(500);
    expect(lie.json["msg"]).to.contain("lying answers what it does not declare");
    const surprise = await gateway.send("GET", "/api/v1/surprising");
    expect(surprise.status).to.equal(500);
    expect(surprise.json["msg"]).to.contain("CHANNEL_ALREADY_EXISTS, which it does not declare");
    await gateway.stop();
  });

  it("is off in production", async () => {
    const gateway = await startGateway({ handlers, checkResults: false });
    expect((await gateway.send("GET", "/api/v1/lying")).json["n"]).to.equal("one");
    expect((await gateway.send("GET", "/api/v1/surprising")).status).to.equal(409);
    await gateway.stop();
  });
});

describe("request ids and the log", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  it("echoes a request id, or makes one", async () => {
    const id = async (headers = {}) =>
      (await gateway.send("GET", "/api/v1/nothing", { headers })).headers["x-request-id"];
    expect(await id({ "X-Request-Id": "trace-7.a" })).to.equal("trace-7.a");
    expect(await id()).to.match(/^[0-9a-f-]{36}$/);
    expect(await id({ "X-Request-Id": "bad id!" })).to.match(/^[0-9a-f-]{36}$/);
    expect(await id({ "X-Request-Id": "x".repeat(65) })).to.match(/^[0-9a-f-]{36}$/);
  });

  it("logs one line for each request, with the path template and no input", async () => {
    gateway.lines.length = 0;
    await gateway.send("PATCH", "/api/v1/things/5?content=SECRET", { form: "content=SECRET" });
    await gateway.send("GET", "/SECRET?api_key=SECRET", {
      headers: { Authorization: basic("a@b:SECRET") },
    });
    await gateway.send("GET", "/api/v1/users/SECRET", { as: "nobody" });
    expect(gateway.lines).to.have.length(3);
    const [found, unknown, refused] = gateway.lines;
    expect(found).to.deep.include({
      level: 30,
      process: "gateway",
      method: "PATCH",
      path: "/api/v1/things/{thing_id}",
      status: 200,
      user: 1,
    });
    expect(found?.["ms"]).to.be.a("number");
    expect(found?.["bytes"]).to.be.greaterThan(20);
    expect(unknown).to.deep.include({ path: null, status: 404, code: "NOT_FOUND" });
    expect(refused).to.deep.include({
      path: "/api/v1/users/{email}",
      status: 401,
      code: "UNAUTHORIZED",
    });
    expect(JSON.stringify(gateway.lines)).to.not.contain("SECRET");
  });
});

describe("the gateway's own metrics and health", () => {
  it("serves the OpenAPI document of its operations, without the envelope", async () => {
    const gateway = await startGateway({ serverUrl: "https://chat.test" });
    const { status, json, headers } = await gateway.send("GET", "/api/v1/openapi.json", {
      as: null,
    });
    expect(status).to.equal(200);
    expect(headers["content-type"]).to.equal("application/json");
    expect(json).to.deep.include({ openapi: "3.0.3", servers: [{ url: "https://chat.test" }] });
    expect(json["paths"]).to.include.keys("/api/v1/echo", "/api/v1/views/{fragment}");
    expect(Object.keys(json["paths"] as object)).to.have.length(
      new Set(sampleHandlers.map((handler) => handler.operation.path)).size,
    );
    await gateway.stop();
  });

  it("answers /health by the probe, without logging it", async () => {
    let healthy = true;
    const gateway = await startGateway({
      health: async () => {
        if (!healthy) throw new Error("no database");
      },
    });
    expect((await gateway.send("GET", "/health", { as: null })).status).to.equal(200);
    expect(gateway.lines).to.have.length(0);
    healthy = false;
    const { status, text } = await gateway.send("GET", "/health", { as: null });
    expect(status).to.equal(503);
    expect(text).to.not.contain("no database");
    expect(gateway.lines).to.have.length(1);
    await gateway.stop();
  });
});

describe("a gateway that is about to end", () => {
  it("closes each connection after its next answer", async () => {
    const closing = new AbortController();
    const gateway = await startGateway({ closing: closing.signal });
    const connection = async () => {
      const answer = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/nowhere`);
      await answer.text();
      return answer.headers.get("connection");
    };
    expect(await connection()).to.equal("keep-alive");
    closing.abort();
    expect(await connection()).to.equal("close");
    await gateway.stop();
  });
});

describe("createGatewayServer", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  async function raw(text: string): Promise<string> {
    const socket = connect(gateway.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(text);
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, "close");
    return answer;
  }

  it("answers in the envelope even to malformed requests", async () => {
    const broken = await raw("nonsense\r\n\r\n");
    expect(broken).to.match(/^HTTP\/1.1 400 /);
    expect(JSON.parse(broken.split("\r\n\r\n")[1] ?? "")).to.deep.include({
      result: "error",
      code: "BAD_REQUEST",
    });
    const large = await raw(
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(300 * 1024)}\r\n\r\n`,
    );
    expect(large).to.match(/^HTTP\/1.1 431 /);
    expect(JSON.parse(large.split("\r\n\r\n")[1] ?? "")).to.deep.include({
      code: "REQUEST_TOO_LARGE",
    });
    for (const answer of [broken, large]) {
      expect(answer).to.contain("\r\nAccess-Control-Allow-Origin: *\r\n");
      expect(answer).to.contain(
        "\r\nAccess-Control-Allow-Headers: Authorization, Idempotency-Key\r\n",
      );
      expect(answer).to.contain(
        "\r\nAccess-Control-Allow-Methods: GET, POST, DELETE, PUT, PATCH, HEAD\r\n",
      );
    }
  });
});

describe("handlers", () => {
  it("get typed input and services", async () => {
    const log: string[] = [];
    const note = operation({
      id: "note",
      method: "POST",
      path: "/api/v1/notes",
      access: "account",
      params: { text: form.text(), times: form.int({ min: 1 }).default(1) },
      result: { host: z.string(), ip: z.string(), request: z.string() },
      summary: "Note",
    });
    const gateway = await startGateway({
      services: { log },
      handlers: [
        handle(note, async ({ input, actor, services, host, ip, requestId }) => {
          services.log.push(`${actor.id}: ${input.text.repeat(input.times)}`);
          return { host, ip, request: requestId };
        }),
      ],
    });
    const { json } = await gateway.send("POST", "/api/v1/notes", {
      form: "text=ab&times=2",
      headers: { Host: "chat.test:9991", "X-Request-Id": "r1" },
    });
    expect(json).to.deep.include({ host: "chat.test", ip: "127.0.0.1", request: "r1" });
    expect(log).to.deep.equal(["1: abab"]);
    await gateway.stop();
  });
});
