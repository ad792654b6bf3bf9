import { expect } from "chai";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { convertExport } from "../convert-export.ts";
import { TransferReader } from "../reader.ts";
import type { RecordOf } from "../records.ts";
import {
  sampleChannels,
  type SampleExport,
  writeSlackExport,
} from "../test-support/slack-export.ts";
import { pixel } from "../test-support/pixel.ts";
import { zipFile } from "../test-support/zip-file.ts";

const at = (second: number, micro = 100) =>
  `${1_700_000_000 + second}.${String(micro).padStart(6, "0")}`;

async function convert(source: string, more: object = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), "converted-")), "out");
  const conversion = await convertExport({ program: "slack", source, folder, ...more });
  const reader = await TransferReader.open(folder);
  await reader.verify();
  const all = async <Table extends string>(table: Table): Promise<RecordOf<Table>[]> => {
    const records: RecordOf<Table>[] = [];
    for await (const { record } of reader.records(table)) records.push(record);
    return records;
  };
  const report = (await readFile(conversion.reportFile, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map(
      (line) => JSON.parse(line) as { what: string; where?: string; why: string; count?: number },
    );
  return { conversion, folder, reader, all, report };
}

const convertSample = async (sample: SampleExport, more: object = {}) =>
  convert(await writeSlackExport(sample), more);

async function refusal(source: string, more: object = {}): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "refused-"));
  const folder = join(parent, "out");
  try {
    await convertExport({ program: "slack", source, folder, ...more });
  } catch (error) {
    expect(existsSync(folder), "leaves no folder").to.equal(false);
    return (error as Error).message;
  }
  throw new Error("was not refused");
}

const writeZip = async (...parameters: Parameters<typeof zipFile>) => {
  const path = join(await mkdtemp(join(tmpdir(), "zip-")), "x.zip");
  await writeFile(path, zipFile(...parameters));
  return path;
};

describe("conversion of Slack's export", () => {
  it("carries over people with roles, addresses and bots", async () => {
    const { all, report } = await convertSample({});
    const users = await all("users");
    expect(
      users.map((one) => [one.full_name, one.role, one.is_active, one.is_bot ?? false]),
    ).to.deep.equal([
      ["Ada Lovelace", 100, true, false],
      ["Bob", 400, true, false],
      ["Gerda Guest", 600, true, false],
      ["Gone Guy", 400, false, false],
      ["No Mail", 400, false, false],
      ["Deploy Bot", 400, false, true],
    ]);
    expect(users[0]).to.include({ delivery_email: "u0ada@example.com", timezone: "Europe/Berlin" });
    expect(report).to.deep.include({
      what: "e-mail address",
      where: "users.json, element 5, U0NOMAIL",
      why: "is missing: the account is deactivated",
    });
    expect(await all("realms")).to.deep.equal([{ id: 1, name: "Acme" }]);
  });

  it("carries over channels, private ones, archived ones and members", async () => {
    const { all } = await convertSample({});
    expect(
      (await all("channels")).map((one) => [
        one.name,
        one.invite_only,
        one.is_archived,
        one.description,
      ]),
    ).to.deep.equal([
      ["general", false, false, "For everybody · Everything & more"],
      ["old-project", false, true, ""],
      ["secret", true, false, ""],
    ]);
    expect((await all("subscriptions")).map((one) => [one.channel_id, one.user_id])).to.deep.equal([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 5],
      [2, 1],
      [3, 1],
      [3, 2],
    ]);
    expect(await all("default_channels")).to.deep.equal([{ channel_id: 1 }]);
  });

  it("orders messages of all conversations by time and keeps microseconds", async () => {
    const { all } = await convertSample({
      days: {
        "2023-11-15": {
          general: [{ type: "message", user: "U0BOB", text: "later", ts: at(90_000) }],
        },
        "2023-11-14": {
          general: [
            { type: "message", user: "U0BOB", text: "three", ts: at(3) },
            { type: "message", user: "U0ADA", text: "one", ts: at(1, 200_009) },
          ],
          secret: [{ type: "message", user: "U0ADA", text: "two", ts: at(2) }],
          D0AB: [{ type: "message", user: "U0BOB", text: "direct", ts: at(2, 500_000) }],
          "mpdm-ada--bob--gerda-1": [{ type: "message", user: "U0ADA", text: "group", ts: at(4) }],
        },
      },
    });
    const messages = await all("messages");
    expect(messages.map((one) => [one.content, one.channel_id, one.to])).to.deep.equal([
      ["one", 1, undefined],
      ["two", 3, undefined],
      ["direct", undefined, [1, 2]],
      ["three", 1, undefined],
      ["group", undefined, [1, 2, 3]],
      ["later", 1, undefined],
    ]);
    expect(messages[0]?.sent_at).to.equal("2023-11-14T22:13:21.200009Z");
    expect(messages.map((one) => one.id)).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it("makes a topic of each thread, named by the first words of its root", async () => {
    const long = `${"word ".repeat(30)}end`;
    const root = (second: number, text: string) => ({
      user: "U0ADA",
      text,
      ts: at(second),
      thread_ts: at(second),
      reply_count: 1,
    });
    const reply = (second: number, root: number, more: object = {}) => ({
      user: "U0BOB",
      text: `reply ${second}`,
      ts: at(second),
      thread_ts: at(root),
      ...more,
    });
    const { all } = await convertSample({
      days: {
        "2023-11-14": {
          general: [
            root(1, "*Lunch* for <@U0BOB>?"),
            root(2, "lunch for @bob?"),
            root(3, long),
            root(4, "general"),
            { user: "U0ADA", text: "no thread", ts: at(5) },
            { user: "U0ADA", text: "thread without replies", ts: at(6), thread_ts: at(6) },
            reply(7, 1),
            reply(8, 2, { subtype: "thread_broadcast" }),
            reply(9, 999),
          ],
          secret: [root(1, "Lunch for Bob?")],
        },
        // A thread goes on on another day, and one is a reply to itself by way of another.
        "2023-11-20": {
          general: [reply(500_000, 1), reply(500_001, 500_002), reply(500_002, 500_001)],
        },
      },
    });
    const topics = (await all("messages")).map((one) => [one.content.slice(0, 12), one.topic]);
    expect(topics).to.deep.equal([
      ["**Lunch** fo", "Lunch for @Bob?"],
      ["Lunch for Bo", "Lunch for Bob?"],
      ["lunch for @b", "lunch for @bob? (2)"],
      ["word word wo", `${"word ".repeat(10).trim()}…`],
      ["general", "general (2)"],
      ["no thread", "general"],
      ["thread witho", "general"],
      ["reply 7", "Lunch for @Bob?"],
      ["reply 8", "lunch for @bob? (2)"],
      ["reply 9", "Thread of 2023-11-14 22:29"],
      ["reply 500000", "Lunch for @Bob?"],
      ["reply 500001", "Thread of 2023-11-20 17:06"],
      ["reply 500002", "Thread of 2023-11-20 17:06 (2)"],
    ]);
  });

  it("mentions people silently and shows rich text", async () => {
    const { all } = await convertSample({
      days: {
        "2023-11-14": {
          general: [
            { user: "U0ADA", ts: at(1), text: "<!channel> <@U0BOB> see <#C0OLD|x> :tada:" },
            {
              user: "U0ADA",
              ts: at(2),
              text: "for notifications",
              blocks: [
                {
                  type: "rich_text",
                  elements: [
                    {
                      type: "rich_text_section",
                      elements: [
                        { type: "text", text: "Do " },
                        { type: "text", text: "this", style: { bold: true } },
                        { type: "text", text: ", " },
                        { type: "user", user_id: "U0BOB" },
                        { type: "broadcast", range: "everyone" },
                      ],
                    },
                    {
                      type: "rich_text_list",
                      style: "ordered",
                      indent: 0,
                      elements: [
                        { type: "rich_text_section", elements: [{ type: "text", text: "first" }] },
                        {
                          type: "rich_text_section",
                          elements: [{ type: "text", text: "co`de", style: { code: true } }],
                        },
                      ],
                    },
                    {
                      type: "rich_text_list",
                      style: "bullet",
                      indent: 1,
                      elements: [
                        { type: "rich_text_section", elements: [{ type: "text", text: "deep" }] },
                      ],
                    },
                    {
                      type: "rich_text_preformatted",
                      elements: [{ type: "text", text: "a = `b`\n```" }],
                    },
                    { type: "rich_text_quote", elements: [{ type: "text", text: "said\ntwice" }] },
                  ],
                },
              ],
            },
            { user: "U0ADA", ts: at(3), subtype: "me_message", text: "waves" },
            { user: "U0ADA", ts: at(4), text: "/me is no action" },
          ],
        },
      },
    });
    expect((await all("messages")).map(({ content }) => content)).to.deep.equal([
      "@_**channel** @_**Bob|2** see #**old-project** :tada:",
      [
        "Do **this**, @_**Bob|2** @_**everyone**",
        "1. first\n2. `` co`de ``\n  * deep",
        "````\na = `b`\n```\n````",
        "> said\n> twice",
      ].join("\n\n"),
      "/me waves",
      "&#47;me is no action",
    ]);
  });

  it("shows messages of programs with their attachments, and leaves previews of links out", async () => {
    const { all } = await convertSample({
      days: {
        "2023-11-14": {
          general: [
            {
              subtype: "bot_message",
              bot_id: "B0CI",
              username: "CI",
              ts: at(1),
              text: "",
              attachments: [
                {
                  pretext: "Build *12*",
                  title: "main",
                  title_link: "https://ci.example.com/12",
                  text: "all <https://x.example|green>",
                  fields: [{ title: "Time", value: "3 min" }],
                  footer: "CI",
                },
                { fallback: "only this" },
              ],
            },
            {
              user: "U0ADA",
              ts: at(2),
              text: "<https://example.com>",
              attachments: [{ from_url: "https://example.com", title: "Example", text: "preview" }],
            },
            {
              bot_id: "B0CI",
              ts: at(3),
              text: "fallback of blocks",
              blocks: [
                { type: "header", text: { type: "plain_text", text: "Report" } },
                {
                  type: "section",
                  text: { type: "mrkdwn", text: "~old~ *new*" },
                  fields: [{ type: "mrkdwn", text: "*A*" }],
                },
                { type: "divider" },
                { type: "context", elements: [{ type: "mrkdwn", text: "by _CI_" }] },
                {
                  type: "table",
                  rows: [
                    [
                      { type: "raw_text", text: "a|b" },
                      { type: "raw_text", text: "c" },
                    ],
                    [{ type: "raw_text", text: "1" }],
                  ],
                },
                { type: "actions", elements: [{ type: "button" }] },
              ],
            },
          ],
        },
      },
    });
    expect((await all("messages")).map(({ content }) => content)).to.deep.equal([
      "Build **12**\n\n> **[main](https://ci.example.com/12)**\n>\n> all [green](https://x.example)\n>\n> **Time:** 3 min\n>\n> *CI*\n\n> only this",
      "https://example.com",
      "**Report**\n\n~~old~~ **new**\n\n**A**\n\nby *CI*\n\n| a&#124;b | c |\n| --- | --- |\n| 1 |  |",
    ]);
    const bots = (await all("users")).filter((one) => one.is_bot === true);
    expect(bots.map((one) => [one.full_name, one.is_active])).to.deep.equal([
      ["Deploy Bot", false],
      ["CI", false],
    ]);
  });

  it("carries over reactions with skin tones and custom emoji, and reports the others", async () => {
    const { all, report } = await convertSample({
      days: {
        "2023-11-14": {
          general: [
            {
              user: "U0ADA",
              ts: at(1),
              text: "hi",
              reactions: [
                { name: "+1", users: ["U0ADA", "U0BOB"], count: 2 },
                { name: "+1::skin-tone-3", users: ["U0BOB"], count: 1 },
                { name: "smile", users: ["U0BOB", "U0BOB"], count: 3 },
                { name: "partyparrot", users: ["U0BOB"], count: 1 },
                { name: "shipit2", users: ["U0BOB"], count: 1 },
              ],
            },
          ],
        },
      },
      extra: [{ name: "emoji/partyparrot.png", content: pixel }],
    });
    const [message] = await all("messages");
    expect(message?.reactions).to.deep.equal([
      { user_id: 1, emoji_name: "+1", emoji_code: "1f44d" },
      { user_id: 2, emoji_name: "+1", emoji_code: "1f44d" },
      { user_id: 2, emoji_name: "big_smile", emoji_code: "1f604" },
      { user_id: 2, reaction_type: "realm_emoji", emoji_name: "partyparrot", emoji_code: "1" },
    ]);
    expect(await all("realm_emoji")).to.deep.equal([
      { id: 1, name: "partyparrot", file: "1.png", author_id: 1 },
    ]);
    expect((await all("pictures")).map((one) => one["path"])).to.deep.equal([
      "1/emoji/images/1.png",
    ]);
    const where = `general/2023-11-14.json, ${at(1)}`;
    expect(report).to.deep.include({
      what: "reaction",
      where,
      why: "the emoji shipit2 is not in the export",
    });
    expect(report).to.deep.include({
      what: "reaction",
      where,
      why: "1 of 3 people with smile are not in the export",
    });
  });

  it("takes contents of files from the operator's folder and links the others without their token", async () => {
    const token = "xoxe-123-secret";
    const file = (id: string, name: string) => ({
      id,
      name,
      mimetype: "image/png",
      url_private: `https://files.slack.com/files-pri/T1-${id}/${name}?t=${token}`,
    });
    const files = await writeZip([
      { name: "anything/F0HAVEIT1/a picture.png", content: "bytes of the picture" },
    ]);
    const { all, report, folder, reader } = await convertSample(
      {
        days: {
          "2023-11-14": {
            general: [
              {
                user: "U0ADA",
                ts: at(1),
                text: "see",
                files: [file("F0HAVEIT1", "a picture.png")],
              },
              {
                user: "U0BOB",
                ts: at(2),
                text: "",
                files: [file("F0HAVEIT1", "a picture.png"), file("F0MISSING", "b.png")],
              },
            ],
          },
        },
      },
      { files },
    );
    expect((await all("messages")).map(({ content }) => content)).to.deep.equal([
      "see\n\n[a picture.png](/user_uploads/1/F0HAVEIT1/a-picture.png)",
      "[a picture.png](/user_uploads/1/F0HAVEIT1/a-picture.png)\n\n[b.png](https://files.slack.com/files-pri/T1-F0MISSING/b.png)",
    ]);
    expect(await all("attachment_claims")).to.deep.equal([
      { attachment_id: 1, message_id: 1 },
      { attachment_id: 1, message_id: 2 },
    ]);
    const [attachment] = await all("attachments");
    expect(attachment).to.include({
      owner_id: 1,
      name: "a-picture.png",
      content_type: "image/png",
    });
    if (!attachment) return;
    const chunks = [];
    for await (const bytes of await reader.file(attachment)) chunks.push(bytes as Buffer);
    expect(Buffer.concat(chunks).toString()).to.equal("bytes of the picture");
    expect(report.filter(({ what }) => what === "file").map(({ where }) => where)).to.deep.equal([
      `general/2023-11-14.json, ${at(2)}, F0MISSING`,
    ]);
    for (const name of ["messages.ndjson", "attachments.ndjson"])
      expect(await readFile(join(folder, name), "utf8")).not.to.include(token);
    expect(JSON.stringify(report)).not.to.include(token);
  });

  it("counts service messages and reports messages that cannot be carried over", async () => {
    const { all, report, conversion } = await convertSample({
      days: {
        "2023-11-14": {
          general: [
            { subtype: "channel_join", user: "U0BOB", ts: at(1), text: "<@U0BOB> has joined" },
            { subtype: "channel_join", user: "U0ADA", ts: at(2), text: "<@U0ADA> has joined" },
            { ts: at(3), text: "by whom?" },
            { user: "U0ADA", ts: "yesterday", text: "when?" },
            { user: "U0ADA", ts: at(4), text: " " },
            { user: "U0ADA", ts: at(5), text: "twice" },
            { user: "U0ADA", ts: at(5), text: "twice" },
            {
              user: "U0NEVER",
              ts: at(6),
              text: "stranger",
              user_profile: { real_name: "Sam Stranger" },
            },
            "no object",
            { user: "U0ADA", ts: at(7), text: `${"a".repeat(6000)}\n${"b".repeat(6000)}` },
          ],
          nowhere: [{ user: "U0ADA", ts: at(1), text: "lost" }],
        },
      },
    });
    expect((await all("messages")).map(({ content }) => content.slice(0, 9))).to.deep.equal([
      "twice",
      "stranger",
      "aaaaaaaaa",
      "bbbbbbbbb",
    ]);
    expect(conversion.skipped.get("service messages (channel_join)")).to.equal(2);
    const day = "general/2023-11-14.json";
    expect(
      report
        .filter(
          ({ what }) => what !== "e-mail address" && !/out on purpose/.test(JSON.stringify(what)),
        )
        .slice(0, 8)
        .map(({ what, where }) => [what, where]),
    ).to.deep.equal([
      ["message", `${day}, element 4`],
      ["message", `${day}, ${at(5)}`],
      ["message", `${day}, element 9`],
      ["folder", "nowhere/2023-11-14.json"],
      ["message", `${day}, ${at(3)}`],
      ["message", `${day}, ${at(4)}`],
      ["person", `${day}, ${at(6)}`],
      ["message", `${day}, ${at(7)}`],
    ]);
    expect((await all("users")).at(-1)).to.include({ full_name: "Sam Stranger", is_active: false });
  });

  it("gives long and equal channel names other ones", async () => {
    const { all, report } = await convertSample({
      channels: [
        ...sampleChannels,
        { id: "C1", name: "x".repeat(80), members: [] },
        { id: "C2", name: `${"x".repeat(70)}y`, members: [] },
      ],
    });
    const names = (await all("channels")).map(({ name }) => name);
    expect(names.slice(2, 4)).to.deep.equal([`${"x".repeat(59)}…`, `${"x".repeat(55)}… (2)`]);
    expect(report.filter(({ what }) => what === "channel name")).to.have.length(2);
  });

  describe("refuses", () => {
    it("what is no export of Slack", async () => {
      expect(await refusal(await writeZip([{ name: "readme.txt", content: "x" }]))).to.match(
        /has no users\.json and channels\.json: it is not one of Slack/,
      );
    });

    it("an export of which nobody could own the organization", async () => {
      const users = [
        { id: "U1", name: "gone", deleted: true, profile: { email: "a@example.com" } },
      ];
      expect(await refusal(await writeSlackExport({ users }))).to.match(
        /users\.json: has no active person with an e-mail address/,
      );
    });

    it("what is no zip file", async () => {
      const path = join(await mkdtemp(join(tmpdir(), "zip-")), "x.zip");
      await writeFile(path, "nothing of the kind");
      expect(await refusal(path)).to.match(/cannot be read as a zip file/);
    });

    for (const name of ["../users.json", "/etc/passwd", "a/../../b", "a\\b", "C:/x"])
      it(`a file named ${name}`, async () => {
        expect(await refusal(await writeZip([{ name, content: "x" }]))).to.match(
          /x\.zip: (?:has a file named|cannot be read as a zip file: (?:invalid|absolute))/,
        );
      });

    it("two files with one name", async () => {
      const twice = { name: "users.json", content: "[]" };
      expect(await refusal(await writeZip([twice, twice]))).to.match(
        /has two files named "users.json"/,
      );
    });

    it("a zip bomb by its directory", async () => {
      const bomb = { name: "users.json", content: Buffer.alloc(24 * 1024 * 1024, 32) };
      expect(await refusal(await writeZip([bomb]))).to.match(/would unpack to more than \d+ bytes/);
    });

    it("a file that is larger than the directory says", async () => {
      const path = await writeSlackExport({
        extra: [
          { name: "general/2023-11-14.json", content: `[${" ".repeat(100_000)}]`, claimedSize: 10 },
        ],
      });
      expect(await refusal(path)).to.match(
        /general\/2023-11-14\.json: cannot be read: too many bytes/,
      );
    });

    it("a message of more than 16 MB, with the name of its file", async () => {
      const content = Array.from({ length: 400_000 }, (_, n) => `${n} some text of no use `).join(
        "",
      );
      const path = await writeSlackExport({
        days: {
          "2023-11-14": { general: [{ user: "U0ADA", ts: at(1), text: content.repeat(2) }] },
        },
      });
      expect(await refusal(path)).to.match(
        /general\/2023-11-14\.json: has more than 16777216 bytes in element 1/,
      );
    });

    for (const [what, content] of [
      ["invalid JSON", '[{"ts": "1.000001"}, {"ts"]'],
      ["JSON that ends too early", '[{"ts": "1.000001"}, {"ts":'],
      ["JSON that goes on after its end", "[] []"],
      ["an empty file", ""],
      ["a number", "17"],
    ] as const)
      it(`${what}, with the name of its file`, async () => {
        const path = await writeSlackExport({
          extra: [{ name: "general/2023-11-14.json", content }],
        });
        expect(await refusal(path)).to.match(/^general\/2023-11-14\.json: /);
      });

    it("a folder that is there already", async () => {
      const folder = await mkdtemp(join(tmpdir(), "there-"));
      const source = await writeSlackExport({});
      const failure = await convertExport({ program: "slack", source, folder }).catch(
        (error: Error) => error,
      );
      expect((failure as Error).message).to.match(/is there already: name a new folder/);
      expect(existsSync(folder)).to.equal(true);
    });
  });
});
