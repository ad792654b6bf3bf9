import { expect } from "chai";
import { startGateway, type Gateway } from "../test-support/sample-gateway.ts";

describe("paths and methods", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  for (const target of [
    "/",
    "/api/v1",
    "/api/v1/",
    "/api/v1/nowhere",
    "/echo",
    "/api/v2/echo",
    "/api/v1/echo/",
    "/API/v1/echo",
    "/api/v1/Echo",
    "/api/v1/things",
    "/api/v1/things/",
    "/api/v1/things/5/",
    "/api/v1/things/x",
    "/api/v1/things/5x",
    "/api/v1/things/-5",
    "/api/v1/things/+5",
    "/api/v1/things/5.0",
    "/api/v1/things/%35",
    "/api/v1/views/",
    "/api/v1/views",
    "/api/v1/%65cho",
    "/api/v1/users/a%00b",
  ]) {
    it(`answers 404 for ${target}, whatever the credentials`, async () => {
      for (const as of ["member", "nobody", null]) {
        const { status, json } = await gateway.send("GET", target, { as });
        expect(status).to.equal(404);
        expect(json).to.deep.equal({ result: "error", msg: json["msg"], code: "NOT_FOUND" });
        expect(json["msg"]).to.be.a("string").with.length.greaterThan(0);
      }
    });
  }

  it("counts repeated slashes as one", async () => {
    for (const target of ["/api/v1//users/me", "//api//v1///users//me", "//api/v1/users/me"]) {
      expect((await gateway.send("GET", target)).status, target).to.equal(200);
    }
    const { json } = await gateway.send("PATCH", "/api/v1//things//7");
    expect(json["path"]).to.deep.equal({ thing_id: 7 });
  });

  it("keeps repeated slashes in a parameter that takes the rest of the path", async () => {
    const { json } = await gateway.send("DELETE", "/api/v1//views/narrow//a/");
    expect(json["path"]).to.deep.equal({ fragment: "narrow//a/" });
  });

  it("takes the most specific route of a path", async () => {
    const path = async (target: string) => (await gateway.send("GET", target)).json["path"];
    expect(await path("/api/v1/users/me")).to.deep.equal({});
    expect(await path("/api/v1/users/12")).to.deep.equal({ user_id: 12 });
    expect(await path("/api/v1/users/a@b.test")).to.deep.equal({ email: "a@b.test" });
    expect((await gateway.send("PATCH", "/api/v1/users/12")).json["path"]).to.deep.equal({
      id: 12,
    });
    expect((await gateway.send("PATCH", "/api/v1/users/me")).status).to.equal(405);
  });

  it("maps an ID that no column can hold to 0", async () => {
    for (const id of ["2147483648", "9223372036854775808", "9".repeat(500), "0"]) {
      const { status, json } = await gateway.send("PATCH", `/api/v1/things/${id}`);
      expect(status).to.equal(200);
      expect(json["path"]).to.deep.equal({ thing_id: 0 });
    }
  });

  it("decodes path parameters exactly once", async () => {
    const fragment = async (text: string) =>
      (await gateway.send("DELETE", `/api/v1/views/${text}`)).json["path"];
    expect(await fragment("narrow%2Fis%2Falerted")).to.deep.equal({
      fragment: "narrow/is/alerted",
    });
    expect(await fragment("narrow/is/alerted")).to.deep.equal({ fragment: "narrow/is/alerted" });
    expect(await fragment("a%252Fb")).to.deep.equal({ fragment: "a%2Fb" });
    expect(await fragment("%E2%9C%93+x")).to.deep.equal({ fragment: "✓+x" });
    expect((await gateway.send("GET", "/api/v1/users/a%40b.test")).json["path"]).to.deep.equal({
      email: "a@b.test",
    });
  });

  it("keeps broken escapes and replaces broken UTF-8", async () => {
    expect((await gateway.send("DELETE", "/api/v1/views/%zz%")).json["path"]).to.deep.equal({
      fragment: "%zz%",
    });
    expect((await gateway.send("DELETE", "/api/v1/views/%ff")).json["path"]).to.deep.equal({
      fragment: "\ufffd",
    });
    expect((await gateway.send("DELETE", "/api/v1/views/%ed%a0%80")).status).to.equal(200);
  });

  it("answers 405 with the methods, whatever the credentials", async () => {
    for (const as of ["member", "nobody", null]) {
      const { status, json, headers } = await gateway.send("DELETE", "/api/v1/users/5", { as });
      expect(status).to.equal(405);
      expect(json).to.deep.include({
        result: "error",
        code: "METHOD_NOT_ALLOWED",
        allowed_methods: ["GET", "PATCH"],
      });
      expect(headers["allow"]).to.equal("GET, PATCH");
    }
    expect((await gateway.send("TRACE", "/api/v1/users/me")).status).to.equal(405);
    expect((await gateway.send("HEAD", "/api/v1/login")).status).to.equal(405);
  });

  it("answers OPTIONS without credentials and without a body", async () => {
    const { status, text, headers } = await gateway.send("OPTIONS", "/api/v1/echo", { as: null });
    expect(status).to.equal(204);
    expect(text).to.equal("");
    expect(headers["allow"]).to.equal("DELETE, GET, PATCH, POST, PUT");
    expect((await gateway.send("OPTIONS", "/api/v1/nowhere", { as: null })).status).to.equal(404);
  });

  it("answers HEAD like GET, without the body", async () => {
    for (const [target, as] of [
      ["/api/v1/users/me", "member"],
      ["/api/v1/users/me", null],
      ["/api/v1/nowhere", null],
    ] as const) {
      const get = await gateway.send("GET", target, { as });
      const head = await gateway.send("HEAD", target, { as });
      expect(head.status).to.equal(get.status);
      expect(head.text).to.equal("");
      for (const name of [
        "content-type",
        "content-length",
        "www-authenticate",
        "access-control-allow-origin",
      ]) {
        expect(head.headers[name], name).to.equal(get.headers[name]);
      }
    }
  });

  it("allows every origin, without credentials mode", async () => {
    for (const [method, target, as] of [
      ["GET", "/api/v1/users/me", "member"],
      ["GET", "/api/v1/users/me", null],
      ["GET", "/nowhere", null],
      ["DELETE", "/api/v1/users/me", null],
      ["OPTIONS", "/api/v1/echo", null],
      ["POST", "/api/v1/crash", null],
    ] as const) {
      const { headers } = await gateway.send(method, target, { as });
      expect(headers).to.deep.include({
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "Authorization, Idempotency-Key",
        "access-control-allow-methods": "GET, POST, DELETE, PUT, PATCH, HEAD",
      });
      expect(headers).to.not.have.any.keys("access-control-allow-credentials", "set-cookie");
    }
  });
});
