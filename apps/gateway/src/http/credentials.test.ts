import { expect } from "chai";
import { basic, startGateway, type Gateway } from "../test-support/sample-gateway.ts";

describe("credentials", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  async function answer(authorization: string | undefined, target = "/api/v1/users/me") {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    return gateway.send("GET", target, { as: null, headers });
  }

  const refused: Record<string, string | undefined> = {
    "no header": undefined,
    "an empty header": "",
    "a scheme alone": "Basic",
    "another scheme alone": "Bearer",
    "three parts": `${basic("member@carillon.test:member")} x`,
    "no Base64": "Basic ***",
    "Base64 of a wrong length": "Basic abcde",
    "Base64 in the URL alphabet": "Basic _-_-",
    "text that is not UTF-8": basic(Buffer.from([0x61, 0x3a, 0xff])),
    "no colon": basic("member"),
    "two colons": basic("member@carillon.test:member:"),
    "an unknown address": basic("nobody@carillon.test:member"),
    "an unknown key": basic("member@carillon.test:nobody"),
    "the key of another account": basic("member@carillon.test:admin"),
    "empty halves": basic(":"),
    "an incoming-webhook bot": basic("webhook@carillon.test:webhook"),
  };

  it("gives the same answer to every failure", async () => {
    const texts = new Set<string>();
    for (const [name, authorization] of Object.entries(refused)) {
      const { status, headers, json, text } = await answer(authorization);
      expect(status, name).to.equal(401);
      expect(json, name).to.deep.include({ result: "error", code: "UNAUTHORIZED" });
      expect(headers["www-authenticate"], name).to.equal('Basic realm="zulip"');
      texts.add(text);
    }
    expect(texts.size).to.equal(1);
  });

  it("refuses another scheme with 400", async () => {
    const { status, json, headers } = await answer("Bearer abc");
    expect(status).to.equal(400);
    expect(json["code"]).to.equal("BAD_REQUEST");
    expect(headers).to.not.have.property("www-authenticate");
  });

  it("takes the scheme in any case and trims both halves", async () => {
    const token = basic("member@carillon.test:member").slice(6);
    for (const authorization of [
      `basic ${token}`,
      `BASIC  ${token}`,
      basic(" Member@Carillon.test : member \n"),
    ]) {
      expect((await answer(authorization)).status, authorization).to.equal(200);
    }
  });

  it("admits incoming-webhook bots to their operations only", async () => {
    expect((await gateway.send("POST", "/api/v1/webhook", { as: "webhook" })).status).to.equal(200);
  });

  it("ignores credentials on operations that anyone may call", async () => {
    for (const authorization of Object.values(refused)) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      expect((await gateway.send("POST", "/api/v1/login", { as: null, headers })).status).to.equal(
        200,
      );
    }
    expect(
      (
        await gateway.send("POST", "/api/v1/login", {
          as: null,
          headers: { Authorization: "Bearer x" },
        })
      ).status,
    ).to.equal(200);
  });

  it("logs the reason, and never the key", async () => {
    await answer(basic("member@carillon.test:guessed-key"));
    const line = gateway.lines.at(-1);
    expect(line).to.deep.include({ code: "UNAUTHORIZED", why: "unknown key", status: 401 });
    expect(JSON.stringify(gateway.lines)).to.not.contain("guessed-key");
  });
});

describe("the gate", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const keys = ["owner", "admin", "moderator", "member", "guest", "bot"];
  const rows: Array<[string, string, string[], string]> = [
    ["POST", "human", ["owner", "admin", "moderator", "member", "guest"], "BAD_REQUEST"],
    ["POST", "bot", ["bot"], "BAD_REQUEST"],
    ["POST", "non-guest", ["owner", "admin", "moderator", "member", "bot"], "BAD_REQUEST"],
    ["POST", "administrator", ["owner", "admin"], "UNAUTHORIZED_PRINCIPAL"],
    ["POST", "owner", ["owner"], "UNAUTHORIZED_PRINCIPAL"],
    ["PUT", "bot", ["bot"], "PERMISSION_DENIED"],
  ];
  for (const [method, gate, admitted, code] of rows) {
    it(`lets ${admitted.join(", ")} through ${method} ${gate} and refuses the others with ${code}`, async () => {
      for (const as of keys) {
        const { status, json } = await gateway.send(method, `/api/v1/gates/${gate}`, {
          as,
          form: "content=x",
        });
        expect(status, as).to.equal(admitted.includes(as) ? 200 : 400);
        expect(json["code"], as).to.equal(admitted.includes(as) ? undefined : code);
      }
    });
  }
});
