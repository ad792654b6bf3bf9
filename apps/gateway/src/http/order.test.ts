import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import type { LimitVerdict } from "./limit.ts";
import { startGateway, type Gateway } from "../test-support/sample-gateway.ts";

/** Sends the head of a request with a body that never comes, and gives the status of the answer. */
async function statusBeforeBody(
  gateway: Gateway,
  method: string,
  path: string,
  headers: Record<string, string>,
) {
  const sent = request({
    port: gateway.port,
    host: "127.0.0.1",
    method,
    path,
    agent: false,
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": "1000",
      ...headers,
    },
  });
  sent.on("error", () => {});
  sent.flushHeaders();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  sent.destroy();
  return response.statusCode;
}

describe("the order of processing", () => {
  let gateway: Gateway;
  let verdict: LimitVerdict | undefined;
  const limited: string[] = [];
  before(async () => {
    gateway = await startGateway({
      limiter: {
        check({ operation, actor, ip }) {
          limited.push(`${operation.id} ${actor?.id} ${ip}`);
          return verdict;
        },
      },
    });
  });
  beforeEach(() => {
    verdict = undefined;
    limited.length = 0;
  });
  after(() => gateway.stop());

  const member = `Basic ${Buffer.from("member@carillon.test:member").toString("base64")}`;
  const blocked = { limit: 5, remaining: 0, reset: 1_700_000_000, retryAfter: 1.5 };

  it("decides everything up to the role gate before the body", async () => {
    expect(await statusBeforeBody(gateway, "POST", "/nowhere", {})).to.equal(404);
    expect(await statusBeforeBody(gateway, "DELETE", "/api/v1/login", {})).to.equal(405);
    expect(await statusBeforeBody(gateway, "POST", "/api/v1/echo", {})).to.equal(401);
    expect(
      await statusBeforeBody(gateway, "POST", "/api/v1/gates/bot", { Authorization: member }),
    ).to.equal(400);
    verdict = blocked;
    expect(
      await statusBeforeBody(gateway, "POST", "/api/v1/echo", { Authorization: member }),
    ).to.equal(429);
    expect(
      await statusBeforeBody(gateway, "POST", "/api/v1/login", {
        "Content-Length": String(26 * 1024 * 1024),
      }),
    ).to.equal(429);
    verdict = undefined;
    expect(
      await statusBeforeBody(gateway, "POST", "/api/v1/login", {
        "Content-Length": String(26 * 1024 * 1024),
      }),
    ).to.equal(413);
  });

  it("checks credentials, then the rate limit, then the gate, then the parameters", async () => {
    verdict = blocked;
    expect((await gateway.send("POST", "/api/v1/gates/owner", { as: "nobody" })).status).to.equal(
      401,
    );
    expect(limited).to.deep.equal([]);
    expect((await gateway.send("POST", "/api/v1/gates/owner")).status).to.equal(429);
    verdict = undefined;
    expect((await gateway.send("POST", "/api/v1/gates/owner")).json["code"]).to.equal(
      "UNAUTHORIZED_PRINCIPAL",
    );
    expect(
      (await gateway.send("POST", "/api/v1/gates/owner", { as: "owner" })).json["code"],
    ).to.equal("REQUEST_VARIABLE_MISSING");
  });

  it("asks the limiter once for each request, with the account or the address", async () => {
    await gateway.send("GET", "/api/v1/nothing");
    await gateway.send("POST", "/api/v1/login", { as: null });
    expect(limited).to.deep.equal(["get-nothing 1 127.0.0.1", "login undefined 127.0.0.1"]);
  });

  it("shows the limiter's state on every answer to a limited request", async () => {
    verdict = { limit: 200, remaining: 7, reset: 1_700_000_000 };
    for (const [target, status] of [
      ["/api/v1/nothing", 200],
      ["/api/v1/refuse", 400],
    ] as const) {
      const answer = await gateway.send("GET", target);
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.deep.include({
        "x-ratelimit-limit": "200",
        "x-ratelimit-remaining": "7",
        "x-ratelimit-reset": "1700000000",
      });
    }
  });

  it("answers 429 with the seconds to wait", async () => {
    verdict = blocked;
    const { status, json, headers } = await gateway.send("GET", "/api/v1/nothing");
    expect(status).to.equal(429);
    expect(json).to.deep.equal({
      result: "error",
      msg: json["msg"],
      code: "RATE_LIMIT_HIT",
      "retry-after": 1.5,
    });
    expect(headers).to.deep.include({ "retry-after": "1.5", "x-ratelimit-remaining": "0" });
  });
});
