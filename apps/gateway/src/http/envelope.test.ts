import { expect } from "chai";
import { startGateway, type Gateway } from "../test-support/sample-gateway.ts";

describe("the envelope", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  it("is exactly result and msg if there are no fields", async () => {
    const { status, text, headers } = await gateway.send("GET", "/api/v1/nothing");
    expect(status).to.equal(200);
    expect(text).to.equal('{"result":"success","msg":""}');
    expect(headers["content-type"]).to.equal("application/json");
    expect(headers["content-length"]).to.equal("29");
  });

  it("has the fields of a success at its top level, and no code", async () => {
    const { json, text } = await gateway.send("POST", "/api/v1/echo", { form: "content=✓" });
    expect(text.startsWith('{"result":"success","msg":"","input":')).to.equal(true);
    expect(json).to.have.all.keys("result", "msg", "input", "client");
  });

  it("has a code and its fields on an error, and nothing else", async () => {
    const { status, json } = await gateway.send("GET", "/api/v1/refuse", { as: null });
    expect(status).to.equal(400);
    expect(json).to.deep.equal({
      result: "error",
      msg: json["msg"],
      code: "STREAM_DOES_NOT_EXIST",
      stream_id: 5,
    });
  });

  it("is JSON for every refusal", async () => {
    for (const [method, target, as, status] of [
      ["GET", "/nowhere", "member", 404],
      ["PUT", "/api/v1/users/me", "member", 405],
      ["GET", "/api/v1/users/me", null, 401],
      ["POST", "/api/v1/echo", "member", 400],
      ["POST", "/api/v1/gates/owner", "admin", 400],
    ] as const) {
      const answer = await gateway.send(method, target, { as });
      expect(answer.status).to.equal(status);
      expect(answer.headers["content-type"]).to.equal("application/json");
      expect(answer.json).to.include({ result: "error" });
      expect(answer.json["code"]).to.be.a("string");
      expect(answer.json["msg"]).to.be.a("string").with.length.greaterThan(0);
    }
  });

  it("names a missing parameter, and two names of the same parameter", async () => {
    const missing = await gateway.send("POST", "/api/v1/echo");
    expect(missing.json).to.deep.include({ code: "REQUEST_VARIABLE_MISSING", var_name: "content" });
    const twice = await gateway.send("POST", "/api/v1/echo?topic=a", {
      form: "content=x&subject=b",
    });
    expect(twice.status).to.equal(400);
    expect(twice.json).to.deep.include({
      code: "REQUEST_CONFUSING_VAR",
      var_name1: "topic",
      var_name2: "subject",
    });
  });
});

describe("ignored_parameters_unsupported", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  async function ignored(method: string, target: string, form?: string): Promise<unknown> {
    const { status, json } = await gateway.send(method, target, form === undefined ? {} : { form });
    expect(status).to.equal(200);
    return json["ignored_parameters_unsupported"];
  }

  it("is the union of query and body, sorted, each name once", async () => {
    expect(await ignored("POST", "/api/v1/echo?b=1&a=1", "content=x&a=2&C=3&b=4")).to.deep.equal([
      "C",
      "a",
      "b",
    ]);
  });

  it("sorts by code point", async () => {
    const form = `content=x&${encodeURIComponent("\u{1f600}")}=1&${encodeURIComponent("\uff5e")}=1`;
    expect(await ignored("POST", "/api/v1/echo", form)).to.deep.equal(["\uff5e", "\u{1f600}"]);
  });

  it("is absent when empty; parameters, their aliases and client count as supported", async () => {
    expect(await ignored("POST", "/api/v1/echo", "content=x&subject=y&client=z&limit=5")).to.equal(
      undefined,
    );
    expect(await ignored("GET", "/api/v1/nothing?client=z")).to.equal(undefined);
  });

  it("appears for operations without parameters and for every method", async () => {
    expect(await ignored("GET", "/api/v1/nothing?dont_block=true")).to.deep.equal(["dont_block"]);
    expect(await ignored("DELETE", "/api/v1/echo?content=x&n=1")).to.deep.equal(["n"]);
    expect(await ignored("PATCH", "/api/v1/echo", "content=x&n=1")).to.deep.equal(["n"]);
  });

  it("reports a path parameter that is sent as a parameter", async () => {
    expect(await ignored("PATCH", "/api/v1/things/5", "thing_id=6&content=x")).to.deep.equal([
      "thing_id",
    ]);
  });

  it("is absent on errors", async () => {
    const { json } = await gateway.send("POST", "/api/v1/echo?n=1");
    expect(json).to.have.all.keys("result", "msg", "code", "var_name");
  });
});
