import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { bouncerPaths } from "@carillon/push";
import { useBouncer } from "@carillon/testkit";
import { expect } from "chai";
import { basic, notify, register, request } from "./test-support/call.ts";

describe("the bouncer", () => {
  const bouncer = useBouncer();

  it("serves /health without credentials", async () => {
    const { status, json } = await request(bouncer.url, "/health", {});
    expect([status, json]).to.deep.equal([200, { status: "ok" }]);
  });

  it("answers unknown paths in the envelope", async () => {
    const missing = await request(bouncer.url, "/api/v1/remotes/push/notify", { method: "POST" });
    expect([missing.status, missing.json["code"]]).to.deep.equal([404, "NOT_FOUND"]);
    const read = await request(bouncer.url, bouncerPaths.notify, {});
    expect(read.status).to.equal(405);
    expect(read.headers.get("allow")).to.equal("POST");
    expect(read.json).to.deep.include({ code: "METHOD_NOT_ALLOWED", allowed_methods: ["POST"] });
  });

  it("answers 401 without credentials", async () => {
    for (const authorization of [undefined, "Bearer abc", "Basic", "Basic !!!", "Basic Og=="]) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await request(bouncer.url, bouncerPaths.notify, { method: "POST", headers });
      expect([answer.status, answer.json["code"]]).to.deep.equal([401, "UNAUTHORIZED"]);
      expect(answer.headers.get("www-authenticate")).to.match(/^Basic /);
    }
  });

  it("authenticates servers by id and key", async () => {
    const one = await bouncer.addServer();
    const other = await bouncer.addServer();
    const wrong = [
      { id: one.id, key: other.key },
      { id: one.id, key: "" },
      { id: one.id, key: `${one.key}x` },
      { id: randomUUID(), key: one.key },
      { id: "5", key: one.key },
    ];
    for (const server of wrong) {
      const { status, json } = await notify(bouncer, server, {});
      expect([status, json["code"]]).to.deep.equal([403, "INVALID_ZULIP_SERVER"]);
    }
    const { json } = await notify(bouncer, one, {});
    expect(json["code"]).to.equal("BAD_REQUEST");
  });

  it("limits lookups of unproven credentials to 30 a minute for each network", async () => {
    const clock = { now: () => 1_000_000 };
    const from = ({ headers }: IncomingMessage) => headers["x-from"]?.toString() ?? "192.0.2.1";
    const limited = await bouncer.another({ clock, clientAddress: from });
    const known = await bouncer.addServer();
    const fresh = await bouncer.addServer();
    expect((await register(limited, known, {})).status).to.equal(400);
    const unknown = () => register(limited, { id: randomUUID(), key: "x" }, {});
    const answers = await Promise.all(Array.from({ length: 35 }, unknown));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    // The first call of the known server was one of the thirty.
    expect([count(403), count(429)]).to.deep.equal([29, 6]);
    const refused = await register(limited, fresh, {});
    expect(refused.json).to.deep.include({ code: "RATE_LIMIT_HIT" });
    expect(refused.json["msg"]).to.include("check the server's id and key");
    expect(Number(refused.headers.get("retry-after"))).to.be.within(1, 62);
    expect((await register(limited, known, {})).status).to.equal(400);
    const elsewhere = { ...basic(fresh), "x-from": "198.51.100.1" };
    const { status } = await request(limited.url, bouncerPaths.register, {
      method: "POST",
      headers: elsewhere,
    });
    expect(status).to.equal(400);
  });

  it("limits a server's calls a minute across processes", async () => {
    const server = await bouncer.addServer({ rateLimit: 20 });
    const other = await bouncer.another();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => register(i % 2 ? bouncer : other, server, {})),
    );
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([count(400), count(429)]).to.deep.equal([20, 10]);
    const limited = await register(bouncer, server, {});
    expect(limited.json).to.deep.include({ result: "error", code: "RATE_LIMIT_HIT" });
    expect(limited.json["retry-after"]).to.be.within(1, 63);
    expect(Number(limited.headers.get("retry-after"))).to.be.within(1, 63);
    expect((await register(bouncer, await bouncer.addServer(), {})).status).to.equal(400);
  });

  it("logs one line for each request, without contents", async () => {
    const server = await bouncer.addServer();
    bouncer.logLines.length = 0;
    await register(bouncer, server, { token_id: "SECRET" });
    await request(bouncer.url, "/SECRET?key=SECRET", { headers: basic(server) });
    expect(bouncer.logLines).to.have.length(2);
    expect(bouncer.logLines[0]).to.deep.include({
      method: "POST",
      path: bouncerPaths.register,
      status: 400,
      code: "REQUEST_VARIABLE_MISSING",
      server: server.id,
    });
    expect(bouncer.logLines[1]).to.deep.include({ path: null, status: 404 });
    expect(JSON.stringify(bouncer.logLines)).to.not.include("SECRET");
  });
});
