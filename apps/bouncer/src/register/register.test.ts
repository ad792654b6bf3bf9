import { randomBytes, randomUUID } from "node:crypto";
import { bouncerPaths } from "@carillon/push";
import {
  phoneToken,
  sealedFor,
  useBouncer,
  type BouncersServer,
  type PhoneToken,
} from "@carillon/testkit";
import { expect } from "chai";
import { basic, register, request } from "../test-support/call.ts";

describe("POST push/e2ee/register", () => {
  const bouncer = useBouncer();
  let server: BouncersServer;
  before(async () => {
    server = await bouncer.addServer();
  });

  /** The fields of a registration as a chat server passes it on. */
  const fieldsOf = async (phone: PhoneToken, content: unknown = phone.content) => ({
    realm_uuid: randomUUID(),
    token_id: phone.tokenId,
    encrypted_push_registration: await sealedFor(bouncer.publicKey, content),
    bouncer_public_key: bouncer.publicKey,
  });

  /** Expects a refusal that keeps nothing. */
  async function refused(
    fields: Record<string, string>,
    status: number,
    code: string,
    extra: Record<string, unknown> = {},
  ): Promise<void> {
    const before = await bouncer.rows("registration");
    const answer = await register(bouncer, server, fields);
    expect(answer.status, JSON.stringify(answer.json)).to.equal(status);
    expect(answer.json).to.deep.equal({ result: "error", msg: answer.json["msg"], code, ...extra });
    expect(answer.json["msg"]).to.match(/./);
    expect(await bouncer.rows("registration")).to.deep.equal(before);
  }

  for (const kind of ["fcm", "apns"] as const)
    it(`stores a registration once: ${kind}`, async () => {
      const fields = await fieldsOf(phoneToken(kind));
      for (let times = 0; times < 2; times++) {
        const { status, json } = await register(bouncer, server, fields);
        expect(status).to.equal(200);
        expect(json).to.deep.equal({ result: "success", msg: "" });
      }
      const rows = await bouncer.rows("registration");
      const kept = rows.filter((row) => row.includes(fields.realm_uuid));
      expect(kept).to.have.length(1);
      expect(JSON.parse(kept[0] ?? "")).to.deep.include({
        server_id: server.id,
        kind,
        ios_app_id: kind === "apns" ? "test.carillon.app" : null,
      });
    });

  it("encrypts tokens, and logs neither them nor registrations", async () => {
    const phone = phoneToken("fcm");
    const fields = await fieldsOf(phone);
    await register(bouncer, server, fields);
    await register(bouncer, server, { ...fields, token_id: phoneToken("fcm").tokenId });
    const [row] = await bouncer.store.rows<{ sealed: Buffer }>(
      "SELECT sealed_token AS sealed FROM registration WHERE realm_uuid = $1",
      [fields.realm_uuid],
    );
    expect(row?.sealed.toString("latin1")).to.not.include(phone.token);
    for (const secret of [phone.token, fields.encrypted_push_registration, server.key])
      expect(bouncer.logText()).to.not.include(secret);
  });

  it("requires all fields, in a form", async () => {
    const fields = await fieldsOf(phoneToken("fcm"));
    for (const name of Object.keys(fields)) {
      const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
      await refused(rest, 400, "REQUEST_VARIABLE_MISSING", { var_name: name });
    }
    const { status, json } = await request(bouncer.url, bouncerPaths.register, {
      method: "POST",
      headers: { ...basic(server), "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    expect(status).to.equal(400);
    expect(json).to.deep.include({ code: "REQUEST_VARIABLE_MISSING", var_name: "realm_uuid" });
  });

  it("refuses malformed fields", async () => {
    const fields = await fieldsOf(phoneToken("fcm"));
    await refused({ ...fields, realm_uuid: "5" }, 400, "BAD_REQUEST");
    for (const token_id of ["", "AAAA", "????????????", `${fields.token_id}AAAA`, " AAAAAAAAAAA="])
      await refused({ ...fields, token_id }, 400, "BAD_REQUEST");
    const sealed = fields.encrypted_push_registration;
    for (const encrypted_push_registration of ["", "!", "AAAA", `${sealed}=`, "A".repeat(50_000)])
      await refused({ ...fields, encrypted_push_registration }, 400, "BAD_REQUEST");
    const { status, json } = await register(bouncer, server, {
      ...fields,
      encrypted_push_registration: "A".repeat(100_000),
    });
    expect([status, json["code"]]).to.deep.equal([413, "REQUEST_TOO_LARGE"]);
  });

  it("refuses an unknown public key", async () => {
    const fields = await fieldsOf(phoneToken("fcm"));
    for (const bouncer_public_key of ["", "AAAA", randomBytes(32).toString("base64")])
      await refused({ ...fields, bouncer_public_key }, 400, "INVALID_BOUNCER_PUBLIC_KEY");
  });

  it("refuses a registration for another key, or a changed one", async () => {
    const phone = phoneToken("fcm");
    const fields = await fieldsOf(phone);
    const sealed = Buffer.from(fields.encrypted_push_registration, "base64");
    sealed[40] = (sealed[40] ?? 0) ^ 1;
    const changed = sealed.toString("base64");
    await refused({ ...fields, encrypted_push_registration: changed }, 400, "BAD_REQUEST");
  });

  const wrongContents: ReadonlyArray<readonly [what: string, content: unknown]> = [
    ["no JSON", "hello"],
    ["a list", []],
    ["null", null],
    ["no token", { token: undefined }],
    ["an empty token", { token: "" }],
    ["a token of a number", { token: 5 }],
    ["a token of 5,000 characters", { token: "a".repeat(5_000) }],
    ["another kind", { token_kind: "sms" }],
    ["no kind", { token_kind: undefined }],
    ["no time", { timestamp: undefined }],
    ["a time of text", { timestamp: "1" }],
    ["no app on Apple's", { token_kind: "apns" }],
    ["an app with a slash", { token_kind: "apns", ios_app_id: "../x" }],
    ["a token that is no hex on Apple's", { token_kind: "apns", ios_app_id: "a.b", token: "../x" }],
  ];
  for (const [what, change] of wrongContents)
    it(`refuses contents that have ${what}`, async () => {
      const phone = phoneToken("fcm");
      const isChange = typeof change === "object" && change !== null && !Array.isArray(change);
      const content = isChange ? { ...phone.content, ...change } : change;
      await refused(await fieldsOf(phone, content), 400, "BAD_REQUEST");
    });

  it("refuses a registration older than a day, or from the future", async () => {
    const phone = phoneToken("fcm");
    const now = Math.floor(Date.now() / 1_000);
    const at = (timestamp: number) => fieldsOf(phone, { ...phone.content, timestamp });
    for (const timestamp of [now - 86_500, now + 1_000, 0, 1e300])
      await refused(await at(timestamp), 400, "REQUEST_EXPIRED");
    for (const timestamp of [now - 86_000, now + 600])
      expect((await register(bouncer, server, await at(timestamp))).status).to.equal(200);
  });

  it("refuses an id that does not match the token", async () => {
    const fields = await fieldsOf(phoneToken("fcm"));
    const { tokenId } = phoneToken("fcm");
    await refused({ ...fields, token_id: tokenId }, 400, "BAD_REQUEST");
  });

  it("may be limited to some organizations of a server", async () => {
    const fields = await fieldsOf(phoneToken("fcm"));
    const known = await bouncer.addServer({ realms: [fields.realm_uuid] });
    const others = await bouncer.addServer({ realms: [randomUUID()] });
    const { status, json } = await register(bouncer, others, fields);
    expect([status, json["code"]]).to.deep.equal([403, "MISSING_REMOTE_REALM"]);
    const upper = { ...fields, realm_uuid: fields.realm_uuid.toUpperCase() };
    expect((await register(bouncer, known, upper)).status).to.equal(200);
  });

  it("accepts concurrent registrations of a device from two processes", async () => {
    const fields = await fieldsOf(phoneToken("apns"));
    const other = await bouncer.another();
    const answers = await Promise.all(
      [bouncer, other, bouncer, other].map((one) => register(one, server, fields)),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const rows = await bouncer.rows("registration");
    expect(rows.filter((row) => row.includes(fields.realm_uuid))).to.have.length(1);
  });
});

describe("A bouncer for one kind of devices", () => {
  const bouncer = useBouncer(() => ({ providers: {} }));

  it("refuses to register others", async () => {
    const phone = phoneToken("fcm");
    const { status, json } = await register(bouncer, await bouncer.addServer(), {
      realm_uuid: randomUUID(),
      token_id: phone.tokenId,
      encrypted_push_registration: await sealedFor(bouncer.publicKey, phone.content),
      bouncer_public_key: bouncer.publicKey,
    });
    expect([status, json["code"]]).to.deep.equal([400, "BAD_REQUEST"]);
  });
});
