import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { countMessages, findUnclaimed } from "@carillon/domain";
import { systemClock } from "@carillon/kit";
import { pngPicture, testFiles, testSite, useDatabase } from "@carillon/testkit";
import { TransferWriter } from "@carillon/transfer";
import { expect } from "chai";

import { scopeOf } from "./scope.ts";
import { importOrganization, type ImportOptions } from "./import-organization.ts";

async function* linesOf(records: readonly object[]): AsyncGenerator<string> {
  for (const record of records) yield JSON.stringify(record);
}

type Tables = Readonly<Record<string, readonly object[]>>;

interface Written {
  readonly kind?: string;
  readonly files?: readonly Uint8Array[];
  /** Further columns of the organization. */
  readonly organization?: object;
}

/** An organization of two people who talk in one channel. */
const talk: Tables = {
  users: [
    { id: 1, full_name: "Ada", delivery_email: "ada@example.com", role: 100 },
    { id: 2, full_name: "Bob", delivery_email: "bob@example.com" },
  ],
  channels: [{ id: 5, name: "general" }],
  subscriptions: [
    { channel_id: 5, user_id: 1 },
    { channel_id: 5, user_id: 2 },
  ],
};
const message = (id: number, content: string, more: object = {}) => ({
  id,
  sender_id: 1,
  channel_id: 5,
  topic: "t",
  sent_at: "2020-01-01T00:00:00Z",
  content,
  ...more,
});

describe("an import of records that another program has written", () => {
  const db = useDatabase();
  const site = testSite();
  let parent: string;
  let exports = 0;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "carillon-written-"));
  });
  after(() => rm(parent, { recursive: true, force: true }));

  async function written(
    tables: Tables,
    { kind = "slack", files = [], organization = {} }: Written = {},
  ): Promise<ImportOptions> {
    const subdomain = `written-${++exports}`;
    const folder = join(parent, subdomain);
    const writer = await TransferWriter.open(folder, { kind });
    for (const bytes of files)
      await writer.addFile(contentOf(bytes), async () => Readable.from([bytes]));
    await writer.write("realms", [{ id: 9, name: "Written", ...organization }]);
    for (const [table, records] of Object.entries({ ...talk, ...tables }))
      await writer.writeLines(table, linesOf(records));
    await writer.finish();
    return { databaseUrl: db.url, db, site, folder, subdomain, key: undefined, files: testFiles() };
  }

  const contentOf = (bytes: Uint8Array) => ({
    sha256: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
  });

  it("keeps its files, which have no claims before the messages are there", async () => {
    const bytes = Buffer.from("an old file");
    const options = await written(
      {
        attachments: [
          {
            id: 1,
            owner_id: 1,
            path_id: "1/old.txt",
            name: "old.txt",
            created_at: "2020-01-01T00:00:00Z",
            ...contentOf(bytes),
          },
        ],
        messages: [message(1, "[old](/user_uploads/1/old.txt)")],
        attachment_claims: [{ attachment_id: 1, message_id: 1 }],
      },
      { files: [bytes] },
    );
    const progress = (step: string) => {
      if (step === "messages") throw new Error("broken off");
    };
    await importOrganization({ ...options, progress }).catch(() => {});
    expect(await db.rows("SELECT FROM attachments")).to.have.length(1);
    expect((await findUnclaimed(db, 0, 100)).ids).to.deep.equal([]);
    const { realmId } = await importOrganization(options);
    expect(
      await db.rows(
        `SELECT FROM attachments a JOIN attachment_claims c ON c.attachment_id = a.id WHERE a.realm_id = ${realmId}`,
      ),
    ).to.have.length(1);
  });

  interface Stored {
    readonly content: string;
    readonly html: string;
    readonly hasAttachment: boolean;
    readonly hasImage: boolean;
  }
  const messagesOf = (realmId: number) =>
    db.rows<Stored>(
      `SELECT content, rendered_content AS html, has_attachment AS "hasAttachment", has_image AS "hasImage"
       FROM messages WHERE realm_id = ${realmId} ORDER BY id`,
    );

  it("cuts a text that is too long, and reports its line", async () => {
    const long = `${"x".repeat(9_990)} and its end`;
    const options = await written({
      messages: [
        message(1, "short"),
        message(2, long, { edit_history: [{ user_id: 1, timestamp: 1, prev_content: long }] }),
      ],
    });
    const changes: string[] = [];
    const { realmId } = await importOrganization({
      ...options,
      report: (one) => changes.push(one),
    });
    const [, cut] = await messagesOf(realmId);
    expect(cut?.content).to.match(/^x{9980}\n\[message truncated\]$/);
    expect(cut?.html).to.contain("[message truncated]</p>");
    expect(changes).to.deep.equal([
      "messages.ndjson, line 2: content has more than 10000 code points: its end was cut off",
    ]);
  });

  /** Imports, and returns how many transactions a step took. */
  async function slicesOf(step: string, tables: Tables): Promise<number> {
    let slices = 0;
    const progress = (what: string) => {
      if (what === step) slices++;
    };
    await importOrganization({ ...(await written(tables)), progress });
    return slices;
  }

  it("stores long records in several transactions, whichever column is long", async () => {
    const history = [{ user_id: 1, timestamp: 1, prev_topic: "x".repeat(200_000) }];
    const messages = Array.from({ length: 20 }, (_, n) =>
      message(n + 1, "short", { edit_history: history }),
    );
    expect(await slicesOf("messages", { messages })).to.equal(4);
  });

  it("stores messages without copies in several transactions if they have many subscribers", async () => {
    const users = Array.from({ length: 400 }, (_, n) => ({
      id: n + 1,
      full_name: `Person ${n}`,
      delivery_email: `p${n}@example.com`,
    }));
    const subscriptions = users.map(({ id }) => ({ channel_id: 5, user_id: id }));
    const messages = Array.from({ length: 300 }, (_, n) => message(n + 1, "hello"));
    expect(await slicesOf("messages", { users, subscriptions, messages })).to.equal(2);
  });

  it("counts messages for the weekly traffic once, though an export of an earlier version has counts", async () => {
    const sentAt = new Date(systemClock.now() - 86_400_000).toISOString();
    const messages = [1, 2, 3].map((id) => message(id, "hello", { sent_at: sentAt }));
    const day = sentAt.slice(0, 10);
    const options = await written({
      messages,
      channel_traffic: [{ channel_id: 5, day, messages: 3 }],
    });
    const { realmId } = await importOrganization(options);
    const count = () => db.transaction((tx) => countMessages(tx, 10_000));
    await count();
    await db.rows("UPDATE traffic_place SET seen_at = seen_at - interval '6 minutes'");
    await count();
    expect(
      await db.rows(
        `SELECT sum(t.messages)::int AS sum FROM channel_traffic t JOIN channels c ON c.id = t.channel_id WHERE c.realm_id = ${realmId}`,
      ),
    ).to.deep.equal([{ sum: 3 }]);
  });

  it("takes no limits and rights that only operators give, and measures what a bot has stored", async () => {
    const rights = { can_create_users: true, can_change_user_emails: true };
    const options = await written(
      {
        users: [
          { id: 1, full_name: "Ada", delivery_email: "ada@example.com", role: 100, ...rights },
          { id: 2, full_name: "Bob", delivery_email: "bob@example.com", ...rights },
          { id: 3, full_name: "Bot", delivery_email: "bot@example.com", is_bot: true, bot_type: 1 },
        ],
        bot_storage_usage: [{ bot_id: 3, size: -1_000_000_000 }],
        bot_storage_parts: [
          { bot_id: 3, key_digest: "\\xaa", part: 0, name: "key", value: "value", size: 0 },
        ],
      },
      {
        organization: { max_channels: 1_000_000, max_user_groups: 1_000_000, max_bots: 1_000_000 },
      },
    );
    const changes: string[] = [];
    const { realmId } = await importOrganization({
      ...options,
      report: (one) => changes.push(one),
    });
    expect(
      await db.rows(
        `SELECT max_channels AS channels, max_user_groups AS groups, max_bots AS bots FROM realms WHERE id = ${realmId}`,
      ),
    ).to.deep.equal([{ channels: null, groups: null, bots: null }]);
    expect(
      await db.rows(
        `SELECT full_name AS name, can_create_users AS creates, can_change_user_emails AS changes FROM users
         WHERE realm_id = ${realmId} AND system_bot_kind IS NULL ORDER BY id`,
      ),
    ).to.deep.equal([
      { name: "Ada", creates: true, changes: true },
      { name: "Bob", creates: false, changes: false },
      { name: "Bot", creates: false, changes: false },
    ]);
    expect(changes).to.deep.equal([
      "users.ndjson, line 2: can_create_users is left out: only owners keep it",
      "users.ndjson, line 2: can_change_user_emails is left out: only owners keep it",
    ]);
    expect(
      await db.rows(
        `SELECT u.size::int AS used, p.size FROM bot_storage_usage u JOIN bot_storage_parts p USING (bot_id)
         JOIN users ON users.id = u.bot_id WHERE users.realm_id = ${realmId}`,
      ),
    ).to.deep.equal([{ used: 8, size: 8 }]);
  });

  /** Imports records, and returns the reports. */
  async function imported(tables: Tables): Promise<{ realmId: number; changes: string[] }> {
    const changes: string[] = [];
    const report = (one: string) => void changes.push(one);
    const { realmId } = await importOrganization({ ...(await written(tables)), report });
    return { realmId, changes };
  }
  const many = (count: number, record: (id: number) => object) =>
    Array.from({ length: count }, (_, index) => ({ id: index + 1, ...record(index + 1) }));
  const countOf = async (table: string, realmId: number) => {
    const [row] = await db.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} t WHERE ${scopeOf(table).replaceAll("$1", String(realmId))}`,
    );
    return row?.n;
  };

  it("has as much of each list as the API allows, and reports the rest line by line", async () => {
    const field = (id: number) => ({
      name: `Field ${id}`,
      hint: "",
      field_type: 1,
      field_data: "",
      display_in_profile_summary: false,
      required: false,
      editable_by_user: true,
      use_for_user_matching: false,
      order: id,
    });
    const { realmId, changes } = await imported({
      linkifiers: many(102, (id) => ({
        pattern: `T${id}`,
        url_template: "https://example.com/",
        order: id,
      })),
      custom_profile_fields: many(101, field),
      custom_profile_field_values: [
        { user_id: 1, field_id: 100, value: "kept" },
        { user_id: 1, field_id: 101, value: "left out with its field" },
      ],
      channel_folders: many(501, (id) => ({ name: `Folder ${id}`, description: "", order: id })),
      channels: [{ id: 5, name: "general", folder_id: 501 }],
      saved_snippets: [
        ...many(1_001, () => ({ user_id: 1, title: "one", content: "text" })),
        { id: 2_000, user_id: 2, title: "of another account", content: "text" },
      ],
    });
    expect(changes).to.deep.equal([
      ...[101, 102].map(
        (line) =>
          `linkifiers.ndjson, line ${line}: was left out: an organization can have at most 100 linkifiers`,
      ),
      "custom_profile_fields.ndjson, line 101: was left out: an organization can have at most 100 profile fields",
      "channel_folders.ndjson, line 501: was left out: an organization can have at most 500 channel folders",
      "saved_snippets.ndjson, line 1001: was left out: an account can have at most 1000 saved snippets",
    ]);
    for (const [table, count] of [
      ["linkifiers", 100],
      ["custom_profile_fields", 100],
      ["custom_profile_field_values", 1],
      ["channel_folders", 500],
      ["saved_snippets", 1_001],
    ] as const)
      expect(await countOf(table, realmId), table).to.equal(count);
    expect(
      await db.rows(`SELECT folder_id FROM channels WHERE realm_id = ${realmId}`),
    ).to.deep.equal([{ folder_id: null }]);
  });

  it("has the linkifiers whose instructions fit, and cuts drafts and snippets that are too long", async () => {
    const { realmId, changes } = await imported({
      linkifiers: many(20, (id) => ({
        pattern: id < 20 ? `T${id}[a-z]{150}` : "T20",
        url_template: "https://example.com/",
        order: id,
      })),
      drafts: [
        {
          id: 1,
          user_id: 1,
          kind: "stream",
          to: [5],
          topic: "t",
          last_edit_time: "2020-01-01T00:00:00Z",
          content: "x".repeat(2 ** 20),
        },
      ],
      saved_snippets: [{ id: 1, user_id: 1, title: "long", content: "y".repeat(10_001) }],
    });
    const [first] = changes;
    expect(first).to.match(
      /^linkifiers.ndjson, line 1\d: was left out: the linkifiers of an organization can take at most 2000 instructions in all$/,
    );
    expect(changes.slice(-2)).to.deep.equal(
      ["saved_snippets", "drafts"].map(
        (table) =>
          `${table}.ndjson, line 1: content has more than 10000 code points: its end was cut off`,
      ),
    );
    // The last one is short enough.
    expect(await countOf("linkifiers", realmId)).to.equal(20 - (changes.length - 2));
    const texts = await db.rows<{ content: string }>(
      `SELECT content FROM drafts WHERE user_id IN (SELECT id FROM users WHERE realm_id = ${realmId})
       UNION ALL SELECT content FROM saved_snippets WHERE user_id IN (SELECT id FROM users WHERE realm_id = ${realmId})`,
    );
    for (const { content } of texts)
      expect(content).to.match(/^[xy]{9980}\n\[message truncated\]$/);
    expect(texts).to.have.length(2);
  });

  it("shows pictures of other people in messages, whose claims come later", async () => {
    const bytes = pngPicture(20, 20);
    const options = await written(
      {
        attachments: [
          { id: 1, owner_id: 2, path_id: "1/cat.png", name: "cat.png", ...contentOf(bytes) },
        ],
        messages: [message(1, "[cat](/user_uploads/1/cat.png)")],
        attachment_claims: [{ attachment_id: 1, message_id: 1 }],
      },
      { files: [bytes] },
    );
    const { realmId } = await importOrganization(options);
    const [stored] = await messagesOf(realmId);
    expect(stored?.html).to.contain("message_inline_image");
    expect(stored).to.include({ hasAttachment: true, hasImage: true });
  });
});
