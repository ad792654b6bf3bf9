import { emojiDataUrl } from "@carillon/domain";
import { useDatabase, useGateway } from "@carillon/testkit";
import { expect } from "chai";

describe("GET /static/emoji/{version}", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  it("returns the names of every emoji by code at the published address, without credentials", async () => {
    const { pathname } = new URL(emojiDataUrl(gateway.services.site));
    const { status, body, headers } = await gateway.anonymous.get(pathname);
    expect(status).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(["code_to_names"]);
    const names = body["code_to_names"] as Record<string, string[]>;
    expect(names["1f642"]?.[0]).to.equal("smile");
    expect(Object.keys(names).length).to.be.greaterThan(1_500);
    for (const [code, own] of Object.entries(names)) {
      expect(code).to.match(/^[0-9a-f]{4,6}(-[0-9a-f]{4,6})*$/);
      expect(own.length, code).to.be.greaterThan(0);
    }
    expect(headers.get("content-type")).to.equal("application/json");
    expect(headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
    expect(headers.get("access-control-allow-origin")).to.equal("*");
  });

  it("serves addresses of other releases too, with a short cache time", async () => {
    const { status, body, headers } = await gateway.anonymous.get("/static/emoji/0123456789abcdef");
    expect(status).to.equal(200);
    expect(body["code_to_names"]).to.include.keys("1f642");
    expect(headers.get("cache-control")).to.equal("no-cache");
  });
});

describe("emojiDataUrl", () => {
  it("is absolute and changes only with the data", () => {
    const url = emojiDataUrl({ url: "https://chat.carillon.test" });
    expect(url).to.match(/^https:\/\/chat\.carillon\.test\/static\/emoji\/[0-9a-f]{16}$/);
    expect(emojiDataUrl({ url: "https://chat.carillon.test" })).to.equal(url);
  });
});
