import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@carillon/db";
import { reopenOrganization } from "@carillon/domain";
import { systemClock } from "@carillon/kit";
import { secretsOf } from "@carillon/model";
import {
  type Answer,
  createdSeries,
  dailySeries,
  eventSubscription,
  type GatewayClient,
  mentionBot,
  organization,
  pngPicture,
  type TestAccount,
  type TestOrganization,
  testFiles,
  testSite,
  useDatabase,
  useGateway,
  usePictureWorker,
  webhookBot,
} from "@carillon/testkit";
import { expect } from "chai";

import { exportOrganization } from "./export-organization.ts";
import { giveUpImport } from "./give-up-import.ts";
import { importOrganization } from "./import-organization.ts";
import { movedTables } from "./tables.ts";
import { newTransferKey, transferKeyOf } from "./transfer-key.ts";

/** Tables whose ids appear in answers. In each database, the ids of each begin at a number of their own. */
const numbered = [
  "realms",
  "users",
  "user_group",
  "channels",
  "channel_folders",
  "messages",
  "scheduled_messages",
  "message_series",
  "attachments",
  "realm_emoji",
  "custom_profile_fields",
  "linkifiers",
  "drafts",
  "saved_snippets",
  "invitations",
  "realm_domains",
  "event_subscription",
] as const;

async function spreadIds(db: Database, first: number): Promise<void> {
  for (const [index, table] of numbered.entries())
    await db.rows(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${first + index * 100_000})`,
    );
}

const otherUrl = "http://other.test";
const otherSecrets = secretsOf("another installation has another key for its secrets");

describe("moving an organization", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  usePictureWorker(db);
  let org: TestOrganization;
  const other = useDatabase();
  const otherGateway = useGateway(other, { site: { url: otherUrl, secrets: otherSecrets } });
  const site = testSite({ url: otherUrl, secrets: otherSecrets });
  const key = transferKeyOf(newTransferKey());
  let folder: string;
  let realmId: number;

  before("make a world", async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-moving-"));
    await spreadIds(db, 1_000_000);
    await spreadIds(other, 21_000_000);
    for (const name of ["first", "second"]) await organization(other, { subdomain: name });
    org = await organization(db, { subdomain: "moved", name: "Moved" });
    await makeWorld();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const done = (answer: Answer) => {
    expect(answer.body.result, answer.text).to.equal("success");
    return answer.body;
  };
  const upload = async (client: GatewayClient, name: string, text: string) => {
    const body = new FormData();
    body.append("file", new File([text], name, { type: "text/plain" }));
    return done(await client.send("POST", "/api/v1/user_uploads", { body })) as { url: string };
  };

  /** A bot that is called, with calls that wait, and a subscription to its events. */
  let caller: TestAccount;

  async function makeWorld(): Promise<void> {
    const { owner, member, guest, moderator, bot } = org;
    const as = { owner: gateway.as(owner), member: gateway.as(member), guest: gateway.as(guest) };
    const api = "/api/v1";
    const idOf = (answer: Answer) => done(answer)["id"] as number;
    done(
      await as.owner.post(`${api}/users/me/subscriptions`, {
        subscriptions: [{ name: "lunch", description: "Where **we** eat" }, { name: "secret" }],
        principals: [owner.id, member.id, guest.id],
      }),
    );
    const channels = done(await as.owner.get(`${api}/streams`))["streams"] as Array<{
      name: string;
      stream_id: number;
    }>;
    const lunch = channels.find(({ name }) => name === "lunch")!.stream_id;
    const { url } = await upload(as.member, "menu of today.txt", "soup");
    const say = async (client: GatewayClient, content: string, topic = "soup") =>
      idOf(await client.post(`${api}/messages`, { type: "channel", to: lunch, topic, content }));
    const first = await say(as.member, `The [menu](${url}) :smile:`);
    await say(
      as.owner,
      `@**${member.fullName}|${member.id}** see #**lunch>soup@${first}** and http://moved.carillon.test/#narrow/channel/${lunch}-lunch/topic/soup/near/${first}`,
    );
    await say(as.guest, "| a | b |\n|---|---|\n| 1 | 2 |", "tables");
    done(await as.owner.post(`${api}/messages/${first}/reactions`, { emoji_name: "heart" }));
    done(await as.member.patch(`${api}/messages/${first}`, { content: `The new [menu](${url})` }));
    done(
      await as.member.post(`${api}/messages`, {
        type: "direct",
        to: [owner.id, moderator.id],
        content: "psst",
      }),
    );
    done(
      await as.owner.post(`${api}/messages/flags`, {
        messages: [first],
        op: "add",
        flag: "starred",
      }),
    );
    done(await as.owner.post(`${api}/mark_all_as_read`, {}));
    done(
      await as.member.post(`${api}/scheduled_messages`, {
        type: "channel",
        to: lunch,
        topic: "later",
        content: `hello @**${owner.fullName}|${owner.id}**`,
        scheduled_delivery_timestamp: Math.floor(systemClock.now() / 1_000) + 7_200,
      }),
    );
    done(
      await as.member.post(`${api}/reminders`, {
        message_id: first,
        scheduled_delivery_timestamp: Math.floor(systemClock.now() / 1_000) + 7_200,
      }),
    );
    done(
      await as.member.post(`${api}/drafts`, {
        drafts: [
          { type: "stream", to: [lunch], topic: "t", content: "half", timestamp: 1_700_000_000 },
          { type: "private", to: [owner.id], topic: "", content: "half", timestamp: 1_700_000_001 },
        ],
      }),
    );
    done(await as.member.post(`${api}/saved_snippets`, { title: "sig", content: "yours" }));
    const form = new FormData();
    form.append("file", new File([pngPicture(64, 64)], "bell.png", { type: "image/png" }));
    done(await as.owner.send("POST", `${api}/realm/emoji/bell_of_ours`, { body: form }));
    await say(as.member, "Ring :bell_of_ours:", "bells");
    done(await as.owner.post(`${api}/messages/${first}/reactions`, { emoji_name: "bell_of_ours" }));
    const series = await createdSeries(
      as.member,
      dailySeries(lunch, { content: `daily for @**${owner.fullName}|${owner.id}**` }),
    );
    done(await as.member.post(`${api}/message_series/${series}/skip`, {}));
    const paused = await createdSeries(as.owner, { ...dailySeries(lunch), topic: "paused" });
    done(await as.owner.post(`${api}/message_series/${paused}/pause`, {}));
    const archived = channels.find(({ name }) => name === "secret")!.stream_id;
    idOf(
      await as.owner.post(`${api}/messages`, {
        type: "channel",
        to: archived,
        topic: "old",
        content: "an old secret",
      }),
    );
    done(await as.owner.delete(`${api}/streams/${archived}`));
    const deleted = await say(as.owner, "a deleted message");
    done(await as.owner.delete(`${api}/messages/${deleted}`));
    const scene = { db, as: (account: TestAccount) => gateway.as(account) };
    caller = await webhookBot(scene, member, "http://127.0.0.1:9002/hook");
    const room = { id: lunch };
    await mentionBot(as.owner, caller, room, "one");
    await mentionBot(as.owner, caller, room, "two");
    done(
      await as.member.post(`${api}/messages`, {
        type: "direct",
        to: [caller.id],
        content: "three",
      }),
    );
    await eventSubscription(scene, caller, "http://127.0.0.1:9002/events", {
      event_types: ["message", "reaction"],
      narrow: [["channel", "lunch"]],
    });
    for (const [fragment, name] of [
      [`narrow/channel/${lunch}-lunch/topic/soup`, "Soup"],
      [`narrow/dm/${owner.id}-owner`, "Owner"],
    ])
      done(await as.member.post(`${api}/navigation_views`, { fragment, is_pinned: true, name }));
    done(
      await as.member.post(`${api}/user_topics`, {
        stream_id: lunch,
        topic: "soup",
        visibility_policy: 3,
      }),
    );
    done(await as.member.post(`${api}/users/me/muted_users/${guest.id}`, {}));
    done(await as.member.post(`${api}/users/me/alert_words`, { alert_words: ["soup"] }));
    done(
      await as.owner.post(`${api}/user_groups/create`, {
        name: "cooks",
        description: "who cook",
        members: [member.id, owner.id],
      }),
    );
    done(
      await as.owner.post(`${api}/realm/filters`, {
        pattern: "#(?P<id>[0-9]+)",
        url_template: "https://example.com/{id}",
      }),
    );
    done(
      await as.owner.post(`${api}/realm/profile_fields`, {
        name: "Mentor",
        hint: "",
        field_type: 6,
      }),
    );
    const fields = done(await as.owner.get(`${api}/realm/profile_fields`))[
      "custom_fields"
    ] as Array<{ id: number }>;
    done(
      await as.member.patch(`${api}/users/me/profile_data`, {
        data: [{ id: fields[0]?.id, value: [owner.id] }],
      }),
    );
    done(await gateway.as(bot).put(`${api}/bot_storage`, { storage: { a: "b" } }));
    done(await as.owner.post(`${api}/invites/multiuse`, { invite_as: 400, stream_ids: [lunch] }));
    done(
      await as.owner.patch(`${api}/realm`, {
        description: "We *cook*",
        message_content_edit_limit_seconds: 1200,
      }),
    );
  }

  const options = () => ({
    databaseUrl: other.url,
    db: other,
    site,
    folder,
    subdomain: undefined,
    key,
    files: testFiles(),
  });

  it("exports the organization, and imports it into an installation with organizations of its own", async () => {
    const { manifest } = await exportOrganization({
      databaseUrl: db.url,
      realmId: org.realm.id,
      folder,
      url: "http://moved.carillon.test",
      secrets: testSite().secrets,
      openKey: () => key,
      files: testFiles(),
    });
    expect(manifest.records.length).to.be.greaterThan(30);
    const imported = await importOrganization(options());
    realmId = imported.realmId;
    expect(imported).to.include({ name: "Moved", subdomain: "moved" });
  });

  /** Returns the ids of the new organization by those of the old one. Imported records keep their order. */
  async function pairs(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const one of numbered) {
      // Groups without a name, which no answer shows, get their ids after the others.
      const table = one === "user_group" ? "named_user_group" : one;
      const idsOf = async (db: Database, realm: number) =>
        (
          await db.rows<{ id: string }>(
            `SELECT id::text FROM "${table}" WHERE ${table === "realms" ? "id" : table === "drafts" || table === "saved_snippets" ? "(SELECT realm_id FROM users u WHERE u.id = user_id)" : "realm_id"} = ${realm} ORDER BY "${table}".id`,
          )
        ).map(({ id }) => id);
      const old = await idsOf(db, org.realm.id);
      const now = await idsOf(other, realmId);
      expect(now.length, table).to.equal(old.length);
      old.forEach((id, index) => found.set(now[index] ?? "", id));
    }
    return found;
  }

  const reads = [
    "/users?include_custom_profile_fields=true",
    "/users/me",
    "/users/me/subscriptions?include_subscribers=true",
    "/streams",
    "/messages?anchor=oldest&num_before=0&num_after=1000&narrow=[]",
    `/messages?anchor=newest&num_before=100&num_after=0&narrow=${encodeURIComponent('[["search","menu"]]')}`,
    "/drafts",
    "/saved_snippets",
    "/scheduled_messages",
    "/reminders",
    "/user_groups",
    "/realm/emoji",
    "/realm/linkifiers",
    "/realm/profile_fields",
    "/attachments",
    "/users/me/alert_words",
    "/invites",
    "/bots",
    "/message_series",
    "/navigation_views",
    "/streams?exclude_archived=false&include_all=true",
  ];

  for (const role of ["owner", "member", "moderator", "guest"] as const)
    it(`gives the ${role} the same answers after the move`, async () => {
      const account: TestAccount = org[role];
      const before = gateway.as(account);
      const after = otherGateway.as(account);
      const ids = await pairs();
      for (const path of reads) {
        const [a, b] = [await before.get(`/api/v1${path}`), await after.get(`/api/v1${path}`)];
        expect(b.status, `${path}: ${b.text}`).to.equal(a.status);
        expect(normal(JSON.parse(b.text), ids), path).to.deep.equal(
          normal(JSON.parse(a.text), new Map()),
        );
      }
      const [a, b] = [await register(before), await register(after)];
      const other = Object.keys(a).filter(
        (field) =>
          JSON.stringify(normal(b[field] ?? null, ids)) !==
          JSON.stringify(normal(a[field] ?? null, new Map())),
      );
      for (const field of other)
        expect(normal(b[field], ids), `${field} (of ${other.join(", ")})`).to.deep.equal(
          normal(a[field], new Map()),
        );
    });

  it("gives the called bot its subscription, and keeps its calls in their order", async () => {
    const ids = await pairs();
    const path = "/api/v1/event_subscriptions";
    const [a, b] = [
      done(await gateway.as(caller).get(path)),
      done(await otherGateway.as(caller).get(path)),
    ];
    // Events are numbered anew.
    const withoutCursor = (list: unknown) =>
      (list as object[]).map((one) => ({ ...one, cursor: 0 }));
    const list = (body: typeof a) => withoutCursor(body["subscriptions"]);
    expect(list(a)).to.have.length(1);
    expect(normal(list(b), ids)).to.deep.equal(normal(list(a), new Map()));
    const gaps = await other.rows("SELECT gap FROM event_subscription WHERE realm_id = $1", [
      realmId,
    ]);
    expect(gaps, "events that were not sent stay behind").to.deep.equal([{ gap: true }]);
    const calls = (of: Database, realm: number) =>
      of.rows(
        `SELECT c.message_id::text AS message, c.bot_id AS bot, c.webhook_id, c.trigger, c.state, c.calls, c.attempts,
           c.next_at::text AS next, m.recipient_id::text || ':' || CASE WHEN m.is_channel THEN m.topic ELSE '' END
             = c.conversation AS "isOfMessage"
         FROM outgoing_call c JOIN messages m ON m.id = c.message_id WHERE c.realm_id = ${realm} ORDER BY c.message_id`,
      );
    const before = await calls(db, org.realm.id);
    expect(before).to.have.length(3);
    expect(normal(await calls(other, realmId), ids)).to.deep.equal(normal(before, new Map()));
  });

  it("shows the pictures of emoji", async () => {
    const pictureOf = async (of: typeof gateway) => {
      const { emoji } = done(await of.as(org.member).get("/api/v1/realm/emoji")) as {
        emoji: Record<string, { source_url: string; name: string }>;
      };
      const [one] = Object.values(emoji);
      expect(one?.name).to.equal("bell_of_ours");
      const answer = await fetch(`${of.url}${one?.source_url}`);
      expect(answer.status).to.equal(200);
      return Buffer.from(await answer.arrayBuffer());
    };
    const before = await pictureOf(gateway);
    expect(before.length).to.be.greaterThan(50);
    expect((await pictureOf(otherGateway)).equals(before)).to.equal(true);
  });

  it("leaves an organization whose old one goes on read-only, until it is opened", async () => {
    const send = () => {
      const params = { type: "direct", to: `["${org.owner.email}"]`, content: "hello" };
      return otherGateway.as(org.member).post("/api/v1/messages", params);
    };
    const refused = await send();
    expect(refused.status).to.equal(503);
    expect(refused.text).to.include("ORGANIZATION_READ_ONLY");
    await other.transaction((tx) => reopenOrganization(tx, realmId, { notImported: false }));
    done(await send());
  });

  it("deletes an unfinished import in slices, continues after each break, and changes nothing else", async () => {
    const again = { ...options(), folder: `${folder}/again`, subdomain: "given-up" };
    await exportOrganization({
      databaseUrl: db.url,
      realmId: org.realm.id,
      folder: again.folder,
      url: "http://moved.carillon.test",
      secrets: testSite().secrets,
      openKey: () => key,
      files: testFiles(),
    });
    const before = await contents();
    const stored = new Set<string>();
    const stop = (what: string) => {
      if (what.startsWith("later ")) throw new Error("broken off");
      stored.add(what);
    };
    const importing = await importOrganization({ ...again, progress: stop }).catch(String);
    expect(importing).to.equal("Error: broken off");
    expect([...stored]).to.include.members(["scheduled_messages", "messages"]);

    const deleted = new Map<string, number>();
    let slices = 0;
    const breakOff = (what: string, done: number) => {
      deleted.set(what, done);
      if (++slices % 7 === 0) throw new Error("broken off");
    };
    const discard = () => giveUpImport(other.url, again, { rows: 4, progress: breakOff });
    let breaks = 0;
    while ((await discard().catch(String)) === "Error: broken off") breaks++;
    expect(await contents()).to.deep.equal(before);
    expect(breaks).to.be.greaterThan(10);
    // The import leaves out calls whose ids the installation already has.
    stored.delete("outgoing_call");
    for (const table of stored)
      if (table in movedTables) expect(deleted.get(`delete ${table}`), table).to.be.greaterThan(0);
  });

  /** Returns all rows of the other installation by table, without those of its processes and of deleted files. */
  async function contents(): Promise<Record<string, string[]>> {
    const tables = await other.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
         AND relname NOT IN ('process_heartbeats', 'clients') ORDER BY 1`,
    );
    const found: Record<string, string[]> = {};
    for (const { name } of tables) {
      const condition = name === "stored_objects" ? "WHERE delete_after IS NULL" : "";
      const rows = await other.rows<{ row: string }>(
        `SELECT t::text AS row FROM "${name}" t ${condition} ORDER BY 1`,
      );
      found[name] = rows.map(({ row }) => row);
    }
    return found;
  }

  async function register(client: GatewayClient): Promise<Record<string, unknown>> {
    // Numbers of the installation's own.
    const {
      queue_id: _,
      last_event_id: __,
      server_timestamp: ___,
      presence_last_update_id: ____,
      realm_uuid: _____,
      // Made of the UUID.
      realm_icon_url: ______,
      cross_realm_bots: bots,
      ...rest
    } = done(
      await client.post("/api/v1/register", {
        client_capabilities: { notification_settings_null: true, user_list_incomplete: true },
      }),
    ) as Record<string, unknown>;
    // System bots join when the organization is created.
    const ofSystem = (bots as object[]).map((one) => ({ ...one, date_joined: undefined }));
    return { ...rest, cross_realm_bots: ofSystem };
  }

  /** Replaces ids, the random parts of paths and addresses. */
  function normal(value: unknown, ids: ReadonlyMap<string, string>): unknown {
    const text = JSON.stringify(value)
      .replaceAll(otherUrl, "http://carillon.test")
      .replaceAll("moved.other.test", "moved.carillon.test")
      .replaceAll("other.test", "carillon.test")
      .replaceAll(/"recipient_id":\d+/g, '"recipient_id":0')
      .replaceAll(/\d{7,8}/g, (id) => ids.get(id) ?? id)
      .replaceAll(/(\d{7}\/[0-9a-f]{2})\/[\w-]{24}\//g, "$1/RANDOM/")
      .replaceAll(/(\d{7})\/[0-9a-f]{2}\/RANDOM/g, "$1/RANDOM");
    return JSON.parse(text);
  }
});
