import { expect } from "chai";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { convertExport } from "../convert-export.ts";
import { TransferReader } from "../reader.ts";
import type { RecordOf } from "../records.ts";
import { sampleMessages, sampleRealm, writeZulipExport } from "../test-support/zulip-export.ts";

async function convert(source: string) {
  const parent = await mkdtemp(join(tmpdir(), "converted-"));
  const folder = join(parent, "out");
  const conversion = await convertExport({
    program: "zulip",
    source,
    folder,
    url: "https://acme.example",
  });
  const reader = await TransferReader.open(folder);
  await reader.verify();
  const all = async <Table extends string>(table: Table): Promise<RecordOf<Table>[]> => {
    const records: RecordOf<Table>[] = [];
    for await (const { record } of reader.records(table)) records.push(record);
    return records;
  };
  const report = (await readFile(conversion.reportFile, "utf8")).split("\n").filter(Boolean);
  return {
    conversion,
    parent,
    reader,
    all,
    report: report.map((line) => JSON.parse(line) as object),
  };
}

async function refusal(source: string): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "refused-"));
  const failure: unknown = await convertExport({
    program: "zulip",
    source,
    folder: join(parent, "out"),
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(await readdir(parent), "leaves only the report").to.deep.equal(["out-report.ndjson"]);
  if (!(failure instanceof Error)) throw new Error("was not refused");
  return failure.message;
}

describe("conversion of Zulip's export", () => {
  let converted: Awaited<ReturnType<typeof convert>>;
  before(async () => {
    converted = await convert(await writeZulipExport());
  });

  it("carries over the organization with settings and groups", async () => {
    const { all, reader } = converted;
    expect(reader.manifest.source).to.deep.equal({ kind: "zulip", url: "https://acme.example" });
    expect(await all("realms")).to.deep.equal([
      {
        id: 2,
        name: "Acme",
        description: "All of Acme",
        name_changes_disabled: true,
        message_content_edit_limit_seconds: null,
        digest_weekday: 3,
        default_language: "de",
        topics_policy: "allow_empty_topic",
        can_create_public_channel_group_id: 30,
      },
    ]);
    expect(await all("user_group")).to.deep.equal([{ id: 20 }, { id: 21 }, { id: 30 }, { id: 31 }]);
    expect(await all("named_user_group")).to.deep.equal([
      { id: 20, name: "role:members", is_system_group: true },
      { id: 21, name: "role:nobody", is_system_group: true },
      {
        id: 30,
        name: "engineers",
        description: "They build",
        deactivated: false,
        creator_id: 10,
        can_mention_group_id: 31,
      },
    ]);
    expect(await all("user_group_member")).to.deep.equal([
      { group_id: 30, user_id: 11 },
      { group_id: 31, user_id: 10 },
    ]);
    expect(await all("user_group_subgroup")).to.deep.equal([
      { supergroup_id: 31, subgroup_id: 30 },
    ]);
  });

  it("carries over people, bots and pictures", async () => {
    const { all, report } = converted;
    const users = await all("users");
    expect(
      users.map((one) => [one.id, one.full_name, one.role, one.is_active, one.bot_type]),
    ).to.deep.equal([
      [10, "Ada Lovelace", 100, true, undefined],
      [11, "Bob Builder", 400, true, undefined],
      [12, "Gerda Guest", 600, true, undefined],
      [13, "Hook Bot", 400, true, 2],
      [14, "Outgoing Bot", 400, false, 1],
      [15, "Dora Dummy", 400, false, undefined],
      [5, "notification bot", undefined, true, 1],
    ]);
    expect(users[0]).to.include({
      date_joined: "2023-11-14T22:13:20.250000Z",
      timezone: "Europe/Paris",
    });
    expect(users[5]).to.include({ is_imported_stub: true });
    expect(users[6]).to.include({ system_bot_kind: "notification" });
    const name = String(users[0]?.["avatar_file"]);
    const pictures = await all("pictures");
    expect(pictures.map((one) => [one["path"], one["user_id"]])).to.deep.equal([
      [`2/${name}.png`, 10],
      [`2/${name}-medium.png`, 10],
      ["2/emoji/images/40.png", undefined],
    ]);
    expect(report).to.deep.include({
      what: "bot",
      where: "realm.json, zerver_userprofile 14",
      why: "is an outgoing webhook or runs on the server: became a deactivated bot",
    });
  });

  it("carries over channels, folders and subscriptions", async () => {
    const { all, report } = converted;
    const channels = await all("channels");
    expect(channels[0]).to.deep.equal({
      id: 70,
      name: "general",
      description: "For all",
      creator_id: 10,
      date_created: "2023-11-14T22:13:20.000000Z",
      invite_only: false,
      history_public_to_subscribers: true,
      is_web_public: false,
      is_archived: false,
      folder_id: 60,
      topics_policy: "inherit",
      can_send_message_group_id: 20,
    });
    expect(channels.map((one) => [one.name, one.invite_only, one.is_archived])).to.deep.equal([
      ["general", false, false],
      ["secret", true, false],
      ["old", false, true],
    ]);
    expect(await all("subscriptions")).to.deep.equal([
      {
        channel_id: 70,
        user_id: 10,
        active: true,
        is_muted: true,
        pin_to_top: true,
        color: "#ff0000",
      },
      {
        channel_id: 70,
        user_id: 11,
        active: true,
        is_muted: false,
        pin_to_top: false,
        color: "#00ff00",
      },
      { channel_id: 70, user_id: 12, active: false, is_muted: false, pin_to_top: false },
      { channel_id: 71, user_id: 10, active: true, is_muted: false, pin_to_top: false },
    ]);
    expect(await all("channel_folders")).to.have.length(1);
    expect(await all("default_channels")).to.deep.equal([{ channel_id: 70 }]);
    expect(report).to.deep.include({
      what: "subscription",
      where: "realm.json, row 9 of zerver_subscription",
      why: "its channel or account is not in the export",
    });
  });

  it("carries over messages with flags, edits and reactions, and reports those without sender or place", async () => {
    const { all, report, conversion } = converted;
    expect(await all("messages")).to.deep.equal([
      {
        id: 1000,
        sender_id: 10,
        channel_id: 70,
        topic: "lunch",
        sent_at: "2023-11-14T22:30:00.123456Z",
        content: "Who is hungry? @**Bob Builder|11**",
        client_id: 1,
        copies: [
          [10, 3],
          [11, 8],
        ],
        reactions: [
          { user_id: 11, reaction_type: "unicode_emoji", emoji_name: "+1", emoji_code: "1f44d" },
        ],
      },
      {
        id: 1001,
        sender_id: 11,
        channel_id: 70,
        topic: "lunch",
        sent_at: "2023-11-14T22:30:01.123456Z",
        content: "Me: [menu.txt](/user_uploads/2/ab/cd/menu.txt) :party:",
        last_edit_at: "2023-11-14T22:46:40.000000Z",
        edit_history: [{ user_id: 11, timestamp: 1_700_002_000, prev_content: "Mee" }],
        client_id: 1,
        copies: [
          [10, 1 | 64 | 128],
          [11, 1],
        ],
        reactions: [
          { user_id: 10, reaction_type: "realm_emoji", emoji_name: "party", emoji_code: "40" },
        ],
      },
      {
        id: 1002,
        sender_id: 11,
        to: [10, 11],
        sent_at: "2023-11-14T22:30:02.123456Z",
        content: "just you",
        client_id: 1,
        copies: [
          [10, 256],
          [11, 257],
        ],
      },
      {
        id: 1003,
        sender_id: 10,
        to: [10, 11, 12],
        sent_at: "2023-11-14T22:30:03.123456Z",
        content: "all three",
        client_id: 1,
        copies: [[12, 256]],
      },
      {
        id: 1004,
        sender_id: 5,
        channel_id: 70,
        topic: "",
        sent_at: "2023-11-14T22:30:04.123456Z",
        content: "a notice",
        client_id: 1,
        copies: [],
      },
    ]);
    const file = "messages-000002.json, row";
    expect(report).to.deep.include({
      what: "message",
      where: `${file} 4 of zerver_message`,
      why: "the sender 98 is not in the export",
    });
    expect(report).to.deep.include({
      what: "message",
      where: `${file} 5 of zerver_message`,
      why: "the recipient 999 is not in the export",
    });
    expect(report).to.deep.include({
      what: "reaction",
      where: "realm.json, row 3 of zerver_reaction",
      why: "the emoji 41 is not in the export",
    });
    expect(conversion.skipped.get("copies of people who are not in the export")).to.equal(1);
  });

  it("carries over files and custom emoji, and reports those that are missing", async () => {
    const { all, reader, report, parent } = converted;
    const [attachment, ...others] = await all("attachments");
    expect(others).to.deep.equal([]);
    expect(attachment).to.include({
      id: 80,
      owner_id: 11,
      path_id: "2/ab/cd/menu.txt",
      size: 4,
      name: "menu.txt",
    });
    if (!attachment) return;
    const chunks = [];
    for await (const bytes of await reader.file(attachment)) chunks.push(bytes as Buffer);
    expect(Buffer.concat(chunks).toString()).to.equal("soup");
    expect(
      (await all("realm_emoji")).map(({ id, name, author_id: author }) => [id, name, author]),
    ).to.deep.equal([[40, "party", 11]]);
    expect(report).to.deep.include({
      what: "file",
      where: "attachment.json, row 2",
      why: "uploads/2/ab/ef/gone.txt is not in the export",
    });
    expect(await readdir(parent), "keeps no unpacked files").to.have.members([
      "out",
      "out-report.ndjson",
    ]);
  });

  it("carries over what is personal", async () => {
    const { all, report } = converted;
    expect(report.map((line) => (line as { why?: string }).why)).to.include(
      "pattern must not have more than 250 characters",
    );
    expect(await all("custom_profile_field_values")).to.deep.equal([
      { user_id: 10, field_id: 50, value: "+49 30" },
    ]);
    expect(await all("linkifiers")).to.have.length(1);
    expect(await all("realm_domains")).to.have.length(1);
    expect(await all("alert_words")).to.deep.equal([
      { id: 1, user_id: 10, word: "Lunch", word_lower: "lunch" },
    ]);
    expect(await all("alert_word_owners")).to.deep.equal([{ user_id: 10, words: 1 }]);
    expect(await all("navigation_views")).to.deep.equal([
      { id: 1, user_id: 10, fragment: "narrow/is/starred", is_pinned: true },
    ]);
    expect((await all("saved_snippets"))[0]).to.include({
      title: "Hi",
      content: "Hello **there**",
    });
    expect((await all("user_topics"))[0]).to.include({
      channel_id: 70,
      topic: "lunch",
      visibility_policy: 3,
    });
    expect(await all("user_status")).to.deep.equal([
      {
        user_id: 11,
        status_text: "away",
        emoji_name: "party",
        emoji_code: "40",
        reaction_type: "realm_emoji",
        updated_at: "2023-11-14T22:13:20.000000Z",
      },
    ]);
    const [ada] = await all("users");
    expect(ada?.["settings"]).to.deep.equal({ enter_sends: true, color_scheme: 2 });
    expect(ada?.["rule_settings"]).to.deep.equal({ translate_emoticons: true });
    expect(await all("realm_user_defaults")).to.deep.equal([
      { settings: { enter_sends: true, enable_sounds: false } },
    ]);
    expect((await all("muted_users"))[0]).to.include({ user_id: 10, muted_user_id: 12 });
  });

  it("reports rows that are no rows, with file and line", async () => {
    const [first] = sampleMessages;
    const { report } = await convert(
      await writeZulipExport({ messages: [{ ...first, zerver_usermessage: [null] }] }),
    );
    expect(report).to.deep.include({
      what: "copy",
      where: "messages-000001.json, row 1 of zerver_usermessage",
      why: "is no row",
    });
  });

  it("carries over scheduled messages that are still to be sent", async () => {
    const { all, report, conversion } = converted;
    const shown = (await all("scheduled_messages")).map((one) => [
      one["id"],
      one["recipient_id"],
      one["channel_id"],
      one["deliver_at"],
    ]);
    expect(shown).to.deep.equal([
      [90, 170, 70, "2096-10-02T07:06:40Z"],
      [91, 1_000_000_000, undefined, "2096-10-02T07:06:41Z"],
    ]);
    expect(await all("recipients")).to.deep.equal([
      { id: 170, channel_id: 70 },
      { id: 1_000_000_000, member_ids: [11, 10] },
    ]);
    expect(report).to.deep.include({
      what: "scheduledmessage",
      where: "realm.json, row 3 of zerver_scheduledmessage",
      why: "was due at 2023-11-14T22:13:20Z, and would be sent at once",
    });
    expect(conversion.skipped.get("scheduled messages that were sent")).to.equal(1);
  });

  describe("refuses", () => {
    for (const name of ["../../evil", "/etc/evil", "a/../../evil"])
      it(`a file named ${name}`, async () => {
        const source = await writeZulipExport({ extra: [{ header: { name }, content: "x" }] });
        expect(await refusal(source)).to.match(/has a file named ".*evil", which (?:leads|is not)/);
        expect(existsSync(join(tmpdir(), "evil"))).to.equal(false);
      });

    for (const type of ["symlink", "link", "fifo", "character-device"] as const)
      it(`an entry of the type ${type}`, async () => {
        const source = await writeZulipExport({
          extra: [{ header: { name: "x", type, linkname: "/etc/passwd" } }],
        });
        expect(await refusal(source)).to.match(
          new RegExp(`has "x", which is a ${type} and not a file`),
        );
      });

    it("two files with one name", async () => {
      const header = { name: "zulip-export-x1/realm.json" };
      expect(
        await refusal(await writeZulipExport({ extra: [{ header, content: "{}" }] })),
      ).to.match(/has two files named/);
    });

    it("a file where a folder is needed", async () => {
      const source = await writeZulipExport({
        extra: [
          { header: { name: "x" }, content: "x" },
          { header: { name: "x/y" }, content: "y" },
        ],
      });
      expect(await refusal(source)).to.match(/has a file where "x\/y" needs a folder/);
    });

    it("a tarball that unpacks to far more than its size", async () => {
      const source = await writeZulipExport({
        extra: [{ header: { name: "big" }, content: Buffer.alloc(24 * 1024 * 1024) }],
      });
      expect(await refusal(source)).to.match(/unpacks to more than \d+ bytes/);
    });

    it("a tarball that is cut off, and a file that is none", async () => {
      const whole = await readFile(await writeZulipExport());
      const path = join(await mkdtemp(join(tmpdir(), "cut-")), "x.tar.gz");
      await writeFile(path, whole.subarray(0, whole.length - 200));
      expect(await refusal(path)).to.match(/cannot be read as a tarball/);
      await writeFile(path, gzipSync(Buffer.from("no tarball ".repeat(100))));
      expect(await refusal(path)).to.match(/cannot be read as a tarball|has no realm\.json/);
    });

    it("messages that are not in the order of their ids", async () => {
      const source = await writeZulipExport({ messages: [...sampleMessages].reverse() });
      expect(await refusal(source)).to.match(
        /messages-000002\.json: has the message 1000 after the message 1004/,
      );
    });

    it("an export without realm.json, and one without an organization", async () => {
      const { zerver_realm: _, ...rest } = sampleRealm;
      expect(await refusal(await writeZulipExport({ realm: rest }))).to.match(
        /has no row of zerver_realm/,
      );
      const folder = await mkdtemp(join(tmpdir(), "empty-"));
      expect(await refusal(folder)).to.match(/has no realm\.json: it is not one of Zulip/);
    });
  });
});
