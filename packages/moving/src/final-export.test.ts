import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  closeEventLog,
  makeReadOnly,
  redirectOrganization,
  reopenOrganization,
  setDeactivated,
  unfinishedWork,
} from "@carillon/domain";
import {
  authorization,
  channel,
  deliver,
  makeDue,
  organization,
  scheduledMessage,
  type TestAccount,
  testFiles,
  testSite,
  useDatabase,
  useGateway,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { exportOrganization } from "./export-organization.ts";
import { importOrganization } from "./import-organization.ts";
import { newTransferKey, transferKeyOf } from "./transfer-key.ts";

const api = "/api/v1";

describe("a final export", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const other = useDatabase();
  const otherGateway = useGateway(other);
  const key = transferKeyOf(newTransferKey());
  const site = testSite();
  const folders: string[] = [];
  after(() => Promise.all(folders.map((one) => rm(one, { recursive: true }))));

  async function scene(subdomain: string) {
    const org = await organization(db, { subdomain, name: subdomain });
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.member] });
    const folder = await mkdtemp(join(tmpdir(), "carillon-final-"));
    folders.push(folder);
    const send = (content: string) =>
      gateway
        .as(org.member)
        .post(`${api}/messages`, { type: "channel", to: room.id, topic: "t", content });
    const move = async (close?: () => Promise<void>) => {
      const realmId = org.realm.id;
      await exportOrganization({
        databaseUrl: db.url,
        realmId,
        folder,
        url: `http://${subdomain}.carillon.test`,
        secrets: site.secrets,
        key,
        files: testFiles(),
        close: async () => {
          await db.transaction((tx) => makeReadOnly(tx, realmId));
          await close?.();
          await waitFor(async () => (await unfinishedWork(db, realmId)).transactions === 0, {
            what: "the end of transactions",
          });
          await db.transaction((tx) => closeEventLog(tx, realmId));
        },
      });
      return importOrganization({
        databaseUrl: other.url,
        db: other,
        site,
        folder,
        subdomain: undefined,
        key,
        files: testFiles(),
      });
    };
    return { org, room, send, move };
  }

  /** Sends a request to the host name of the organization, which fetch does not do. */
  async function request(path: string, as?: TestAccount) {
    const { hostname, port } = new URL(gateway.url);
    const key = as && authorization({ email: as.deliveryEmail, apiKey: as.apiKey });
    const host = { Host: "undone.carillon.test" };
    const sent = get({ hostname, port, path, headers: { ...host, ...key } });
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const { statusCode: status, headers } = answer;
    return { status, location: headers.location, text: await text(answer) };
  }

  it("has every message that was acknowledged, and the organization refuses changes and answers reads from then on", async () => {
    const { org, send, move } = await scene("busy");
    const acknowledged: string[] = [];
    const refused: number[] = [];
    let isOver = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const content = `message ${writer}-${n}`;
        const { status, body } = await send(content);
        if (body.result === "success") acknowledged.push(content);
        else {
          expect(body.code).to.equal("ORGANIZATION_READ_ONLY");
          refused.push(status);
        }
      }
    });
    await waitFor(() => acknowledged.length > 50, { what: "messages" });
    await move();
    isOver = true;
    await Promise.all(writers);
    expect(refused.length).to.be.greaterThan(0);
    expect(new Set(refused)).to.deep.equal(new Set([503]));
    const { body } = await otherGateway.as(org.member).get(`${api}/messages`, {
      anchor: "newest",
      num_before: 5000,
      num_after: 0,
      apply_markdown: false,
    });
    const found = (body["messages"] as Array<{ content: string }>)
      .map(({ content }) => content)
      .filter((content) => content.startsWith("message "));
    expect(found.toSorted()).to.deep.equal(acknowledged.toSorted());
    expect((await gateway.as(org.member).get(`${api}/users/me`)).status).to.equal(200);
    expect((await gateway.as(org.member).post(`${api}/register`)).status).to.equal(200);
  });

  it("leaves scheduled messages to the new installation, which sends each once", async () => {
    const { org, room, move } = await scene("scheduled");
    const scheduled = await scheduledMessage(db, org.member, room, { row: { content: "bells" } });
    const imported = await move(async () => {
      await makeDue(db, scheduled.id, -1);
      await deliver(db, org.realm);
    });
    await deliver(db, org.realm);
    const sent = (of: typeof db, realmId: number) =>
      of.rows(`SELECT id FROM messages WHERE realm_id = ${realmId} AND content = 'bells'`);
    expect(await sent(db, org.realm.id)).to.have.length(0);
    await deliver(other, { id: imported.realmId });
    await deliver(other, { id: imported.realmId });
    expect(await sent(other, imported.realmId)).to.have.length(1);
  });

  it("is followed by a deactivation, which tells nobody, when the address goes to another cell", async () => {
    const { org, send } = await scene("cell");
    const { id } = org.realm;
    await db.transaction((tx) => makeReadOnly(tx, id));
    await db.transaction((tx) => closeEventLog(tx, id));
    expect(await db.transaction((tx) => setDeactivated(tx, id, true))).to.equal(true);
    expect((await send("to the old cell")).status).to.equal(401);
    expect(
      await db.rows(`SELECT FROM job_intent WHERE realm_id = ${id} AND job = 'send-mail'`),
    ).to.have.length(0);
    expect(await db.transaction((tx) => setDeactivated(tx, id, false))).to.equal(true);
  });

  it("refuses a change that was admitted before the organization was closed", async () => {
    const { org, send } = await scene("late");
    await db.transaction((tx) => closeEventLog(tx, org.realm.id));
    const { status, body } = await send("too late");
    expect([status, body.code]).to.deep.equal([503, "ORGANIZATION_READ_ONLY"]);
  });

  it("can be undone until the organization is redirected, which answers browsers and programs", async () => {
    const { org, send } = await scene("undone");
    const { id } = org.realm;
    const redirect = () =>
      db.transaction((tx) => redirectOrganization(tx, id, "https://new.example.com"));
    const refusal = await redirect().then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/has no final export/);
    const closed = async () => {
      await db.transaction((tx) => makeReadOnly(tx, id));
      await db.transaction((tx) => closeEventLog(tx, id));
    };
    await closed();
    expect((await send("refused")).status).to.equal(503);
    await db.transaction((tx) => reopenOrganization(tx, id));
    expect((await send("sent")).status).to.equal(200);
    await closed();
    await redirect();
    const again = await db
      .transaction((tx) => reopenOrganization(tx, id))
      .then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(again).to.match(/there is no way back/);
    // Addresses are read again after some seconds.
    const browser = await waitFor(
      async () => {
        const answer = await request("/login?next=%2F");
        return answer.status === 308 && answer;
      },
      { what: "the redirect", timeoutMs: 30_000 },
    );
    expect(browser.location).to.equal("https://new.example.com/login?next=%2F");
    const program = await request(`${api}/server_settings`);
    expect(program.status).to.equal(401);
    expect(JSON.parse(program.text)).to.deep.include({
      code: "REALM_DEACTIVATED",
      msg: "The organization has moved to https://new.example.com",
    });
    const byKey = await send("to the key alone");
    expect([byKey.status, byKey.body.msg]).to.deep.equal([
      401,
      "The organization has moved to https://new.example.com",
    ]);
    // The key of another organization is answered as before, at this host name too.
    const stranger = await organization(db);
    const found = await request(`${api}/users/me`, stranger.member);
    expect([found.status, JSON.parse(found.text).user_id]).to.deep.equal([200, stranger.member.id]);
    const unknown = await request(`${api}/users/me`, {
      ...stranger.member,
      apiKey: "x".repeat(32),
    });
    expect([unknown.status, JSON.parse(unknown.text).code]).to.deep.equal([401, "UNAUTHORIZED"]);
    expect(
      await db
        .transaction((tx) => setDeactivated(tx, id, false))
        .catch((error: Error) => error.message),
    ).to.equal("the organization has moved to https://new.example.com: there is no way back");
    expect((await request("/health")).status, "a health check").to.equal(200);
  });
});
