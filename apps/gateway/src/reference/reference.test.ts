import type { IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { startGateway, type Gateway } from "../test-support/sample-gateway.ts";

describe("the reference", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const get: Gateway["fetchBytes"] = (...request) => gateway.fetchBytes(...request);

  it("is a page of the gateway's own files, with a content security policy", async () => {
    const { status, headers, body } = await get("/api");
    expect(status).to.equal(200);
    expect(headers["content-type"]).to.equal("text/html; charset=utf-8");
    const policy = String(headers["content-security-policy"]);
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).to.not.include("unsafe");
    const files = [...body.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
    expect(files).to.include.members(["api/reference/viewer.js", "api/v1/openapi.json"]);
    for (const file of files.filter((name) => name !== "data:,")) {
      const answer = await get(`/${file}`);
      expect(answer.status, file).to.equal(200);
      expect(answer.headers["x-content-type-options"]).to.equal("nosniff");
    }
  });

  it("is the redirect target of its address with a trailing slash, below any path", async () => {
    const { status, headers } = await get("/api/");
    expect(status).to.equal(302);
    expect(new URL(String(headers.location), "http://chat.test/team/api/").href).to.equal(
      "http://chat.test/team/api",
    );
  });

  it("is compressed for clients that accept it, and not sent again to clients that have it", async () => {
    for (const path of ["/api", "/api/reference/viewer.css", "/api/v1/openapi.json"]) {
      const whole = await get(path);
      const zipped = await get(path, { "Accept-Encoding": "br;q=1.0, gzip;q=0.8" });
      expect(zipped.headers["content-encoding"]).to.equal("gzip");
      expect(zipped.body.length).to.equal(Number(zipped.headers["content-length"]));
      expect(gunzipSync(zipped.body).equals(whole.body), path).to.equal(true);
      expect(whole.headers).to.not.have.property("content-encoding");
      const refused = await get(path, { "Accept-Encoding": "gzip;q=0" });
      expect(refused.headers).to.not.have.property("content-encoding");

      const tag = String(zipped.headers.etag);
      for (const known of [tag, `"other", ${tag}`, tag.replace("W/", ""), "*"]) {
        const kept = await get(path, { "If-None-Match": known });
        expect([kept.status, kept.body.length, kept.headers.etag]).to.deep.equal([304, 0, tag]);
      }
      expect((await get(path, { "If-None-Match": '"other"' })).status).to.equal(200);
      const head = await get(path, {}, "HEAD");
      expect([head.status, head.body.length]).to.deep.equal([200, 0]);
      expect(lasting(head.headers)).to.deep.equal(lasting(whole.headers));
    }
  });

  it("serves no other files, and only for GET", async () => {
    for (const path of ["/api/reference/package.json", "/api/reference/..%2fpage.js"])
      expect((await get(path)).status, path).to.equal(404);
    expect((await get("/api", {}, "POST")).status).to.equal(405);
  });
});

/** Without what is of one answer, or of its body. */
function lasting(headers: IncomingHttpHeaders): object {
  const passing = ["date", "x-request-id", "transfer-encoding"];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.includes(name)));
}
