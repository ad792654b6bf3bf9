import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Database } from "@carillon/db";
import {
  closeEventLog,
  makeReadOnly,
  redirectOrganization,
  reopenOrganization,
  retireOrganization,
  setDeactivated,
  unfinishedWork,
} from "@carillon/domain";
import {
  authorization,
  bot,
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

  interface FinalExport {
    readonly folder: string;
    /** Runs while the organization is read-only, before its event log is closed. */
    readonly close?: (() => Promise<void>) | undefined;
    readonly afterClose?: () => Promise<unknown>;
  }

  async function exportFinally(
    from: Database,
    { id: realmId, subdomain }: { readonly id: number; readonly subdomain: string },
    { folder, close, afterClose }: FinalExport,
  ): Promise<void> {
    await exportOrganization({
      databaseUrl: from.url,
      realmId,
      folder,
      url: `http://${subdomain}.carillon.test`,
      secrets: site.secrets,
      openKey: () => key,
      files: testFiles(),
      closeOrganization: async () => {
        await from.transaction((tx) => makeReadOnly(tx, realmId));
        await close?.();
        await waitFor(async () => (await unfinishedWork(from, realmId)).transactions === 0, {
          what: "the end of transactions",
        });
        await from.transaction((tx) => closeEventLog(tx, realmId));
        await afterClose?.();
      },
    });
  }

  const importInto = (to: Database, folder: string) =>
    importOrganization({
      databaseUrl: to.url,
      db: to,
      site,
      folder,
      subdomain: undefined,
      key,
      files: testFiles(),
    });

  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), "carillon-final-"));
    folders.push(folder);
    return folder;
  };

  async function scene(subdomain: string) {
    const org = await organization(db, { subdomain, name: subdomain });
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.member] });
    const folder = await newFolder();
    const send = (content: string) =>
      gateway
        .as(org.member)
        .post(`${api}/messages`, { type: "channel", to: room.id, topic: "t", content });
    const move = async (
      close?: () => Promise<void>,
      afterClose: () => Promise<unknown> = async () => {},
    ) => {
      await exportFinally(db, org.realm, { folder, close, afterClose });
      return importInto(other, folder);
    };
    return { org, room, send, move };
  }

  /** Sends a request to the host name of an organization, which fetch does not do. */
  async function request(subdomain: string, path: string, as?: TestAccount) {
    const { hostname, port } = new URL(gateway.url);
    const key = as && authorization({ email: as.deliveryEmail, apiKey: as.apiKey });
    const host = { Host: `${subdomain}.carillon.test` };
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

  it("is imported with ids greater than those of the old organization, because clients still use these at first", async () => {
    const { org, send, move } = await scene("numbers");
    expect((await send("numbered")).status).to.equal(200);
    const deleted = Number((await send("deleted")).body["id"]);
    const deletion = await gateway.as(org.owner).delete(`${api}/messages/${deleted}`);
    expect(deletion.status, deletion.text).to.equal(200);
    const imported = await move();
    const [message] = await other.rows<{ id: number }>(
      `SELECT min(id)::float8 AS id FROM messages WHERE realm_id = ${imported.realmId}`,
    );
    expect(message?.id).to.be.greaterThan(deleted);
    for (const table of ["users", "channels", "messages", "user_group"]) {
      const ids = (of: typeof db, which: string, realmId: number) =>
        of.rows<{ id: number }>(
          `SELECT ${which}(id)::float8 AS id FROM ${table} WHERE realm_id = ${realmId}`,
        );
      const [old] = await ids(db, "max", org.realm.id);
      const [first] = await ids(other, "min", imported.realmId);
      expect(old?.id, table).to.be.greaterThan(0);
      expect(first?.id, table).to.be.greaterThan(old?.id ?? 0);
    }
  });

  it("is imported into the first installation again with its subdomain and keys, once the old organization there is retired", async () => {
    const { org, send, move } = await scene("returning");
    const { id } = org.realm;
    const message = await send("before both moves");
    expect(message.status, message.text).to.equal(200);
    const called = await bot(db, org.owner, { botType: 3 });
    await db.rows(
      `INSERT INTO outgoing_call (realm_id, bot_id, message_id, conversation, trigger, webhook_id, next_at)
       SELECT $1, $2, id, recipient_id || ':t', 'mention', 'msg_returning', 'infinity' FROM messages WHERE id = $3`,
      [id, called.id, message.body["id"]],
    );
    const early = await db
      .transaction((tx) => retireOrganization(tx, site.secrets, id))
      .catch(String);
    expect(early).to.match(/only an organization that has moved away can be retired/);
    const { realmId } = await move();
    await db.transaction((tx) => setDeactivated(tx, id, true));
    const folder = await newFolder();
    await exportFinally(other, { id: realmId, subdomain: "returning" }, { folder });
    expect(await importInto(db, folder).catch(String)).to.match(
      /has moved away: .*run carillon organization retire --organization returning first/,
    );
    const label = await db.transaction((tx) => retireOrganization(tx, site.secrets, id));
    expect(label).to.equal(`retired-${id}`);
    const returned = await importInto(db, folder);
    expect(returned.subdomain).to.equal("returning");
    expect(
      await db.rows("SELECT realm_id, state FROM outgoing_call WHERE webhook_id = 'msg_returning'"),
      "the call that waits",
    ).to.deep.equal([{ realm_id: returned.realmId, state: "waiting" }]);
    const { status, body } = await gateway.as(org.member).get(`${api}/users/me`);
    expect([status, body["email"]]).to.deep.equal([200, org.member.deliveryEmail]);
    expect(body["user_id"]).not.to.equal(org.member.id);
    const { body: found } = await gateway.as(org.member).get(`${api}/messages`, {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      apply_markdown: false,
    });
    const contents = (found["messages"] as Array<{ content: string }>).map((one) => one.content);
    expect(contents).to.include("before both moves");
    const again = await db
      .transaction((tx) => retireOrganization(tx, site.secrets, id))
      .catch(String);
    expect(again).to.match(/can be retired, once/);
  });

  it("forbids reopening the organization, unless the operator says that the export was not imported", async () => {
    const { org, send, move } = await scene("split");
    await move();
    const reopen = (notImported: boolean) =>
      db.transaction((tx) => reopenOrganization(tx, org.realm.id, { notImported }));
    expect(await reopen(false).catch(String)).to.match(/both organizations would send/);
    expect((await send("refused")).status).to.equal(503);
    await reopen(true);
    expect((await send("sent")).status).to.equal(200);
  });

  it("is followed by a deactivation if the organization moves to another cell: no mails, and requests get 503", async () => {
    const { org, send } = await scene("cell");
    const { id } = org.realm;
    await db.transaction((tx) => makeReadOnly(tx, id));
    await db.transaction((tx) => closeEventLog(tx, id));
    expect(await db.transaction((tx) => setDeactivated(tx, id, true))).to.equal(true);
    // Clients would treat their keys as revoked after a 401.
    const answer = await send("to the old cell");
    expect([answer.status, answer.headers.get("retry-after")]).to.deep.equal([503, "2"]);
    expect(answer.body.msg).to.match(/is moving to another server; nothing was changed/);
    const { status } = await request("cell", `${api}/server_settings`);
    expect(status, "without a key").to.equal(503);
    expect(
      await db.rows(`SELECT FROM job_intent WHERE realm_id = ${id} AND job = 'send-mail'`),
    ).to.have.length(0);
    const reopened = await db
      .transaction((tx) => reopenOrganization(tx, id, { notImported: true }))
      .catch((error: Error) => error.message);
    expect(reopened).to.match(/run carillon organization reactivate first/);
    expect(await db.transaction((tx) => setDeactivated(tx, id, false))).to.equal(true);
  });

  it("is not assumed of a read-only organization that is deactivated without one: requests get 401", async () => {
    const { org, send } = await scene("other");
    await db.transaction((tx) => makeReadOnly(tx, org.realm.id));
    await db.transaction((tx) => setDeactivated(tx, org.realm.id, true));
    expect((await send("refused")).status).to.equal(401);
  });

  for (const [what, leave] of [
    ["deactivated", (realmId) => db.transaction((tx) => setDeactivated(tx, realmId, true))],
    [
      "redirected",
      (realmId) => db.transaction((tx) => redirectOrganization(tx, realmId, "https://new.test")),
    ],
  ] satisfies ReadonlyArray<readonly [string, (realmId: number) => Promise<unknown>]>)
    it(`ends open polls with BAD_EVENT_QUEUE_ID when the organization is ${what}`, async () => {
      const { org } = await scene(`polled-${what}`);
      const { id } = org.realm;
      await db.transaction((tx) => makeReadOnly(tx, id));
      await db.transaction((tx) => closeEventLog(tx, id));
      const client = gateway.as(org.member);
      const { body: queue } = await client.post(`${api}/register`, { event_types: ["message"] });
      const { waiting: before } = gateway.events.counters;
      const poll = client.get(`${api}/events`, {
        queue_id: queue["queue_id"],
        last_event_id: queue["last_event_id"],
      });
      await waitFor(() => gateway.events.counters.waiting > before, { what: "the poll waits" });
      await leave(id);
      // A gateway reads the logs every second. A reading that began before the change may not see it.
      for (const _ of ["begun before", "begun after"]) await gateway.events.readGrownLogs();
      expect(gateway.events.counters.waiting).to.equal(before);
      const ended = await poll;
      expect([ended.status, ended.body.code]).to.deep.equal([400, "BAD_EVENT_QUEUE_ID"]);
    });

  it("fails when the organization is reopened before its event log is closed", async () => {
    const { org, send } = await scene("reopened");
    await db.transaction((tx) => makeReadOnly(tx, org.realm.id));
    await db.transaction((tx) => reopenOrganization(tx, org.realm.id, { notImported: true }));
    const closed = await db
      .transaction((tx) => closeEventLog(tx, org.realm.id))
      .then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(closed).to.match(/was reopened during its final export/);
    expect((await send("open")).status).to.equal(200);
  });

  it("fails when the organization is reopened while its rows are read", async () => {
    const { org, move } = await scene("reopened-later");
    const failure = await move(undefined, () =>
      db.transaction((tx) => reopenOrganization(tx, org.realm.id, { notImported: true })),
    ).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).to.match(/was reopened during its final export/);
  });

  it("refuses a change that was admitted before the organization was closed", async () => {
    const { org, send } = await scene("late");
    await db.transaction((tx) => makeReadOnly(tx, org.realm.id));
    await db.transaction((tx) => closeEventLog(tx, org.realm.id));
    // As the gateway saw the organization when it admitted the request.
    await db.rows(`UPDATE realms SET read_only_since = NULL WHERE id = ${org.realm.id}`);
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
    await db.transaction((tx) => reopenOrganization(tx, id, { notImported: true }));
    expect((await send("sent")).status).to.equal(200);
    await closed();
    await redirect();
    const again = await db
      .transaction((tx) => reopenOrganization(tx, id, { notImported: true }))
      .then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(again).to.match(/there is no way back/);
    // Addresses are read again after some seconds.
    const browser = await waitFor(
      async () => {
        const answer = await request("undone", "/login?next=%2F");
        return answer.status === 308 && answer;
      },
      { what: "the redirect", timeoutMs: 30_000 },
    );
    expect(browser.location).to.equal("https://new.example.com/login?next=%2F");
    const program = await request("undone", `${api}/server_settings`);
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
    const found = await request("undone", `${api}/users/me`, stranger.member);
    expect([found.status, JSON.parse(found.text).user_id]).to.deep.equal([200, stranger.member.id]);
    const unknown = await request("undone", `${api}/users/me`, {
      ...stranger.member,
      apiKey: "x".repeat(32),
    });
    expect([unknown.status, JSON.parse(unknown.text).code]).to.deep.equal([401, "UNAUTHORIZED"]);
    expect(
      await db
        .transaction((tx) => setDeactivated(tx, id, false))
        .catch((error: Error) => error.message),
    ).to.equal("the organization has moved to https://new.example.com: there is no way back");
    expect((await request("undone", "/health")).status, "a health check").to.equal(200);
  });
});
