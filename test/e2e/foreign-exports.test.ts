import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importOrganization } from "@carillon/moving";
import {
  type Answer,
  type GatewayClient,
  pngPicture,
  testFiles,
  testSite,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { convertExport } from "@carillon/transfer";
import { expect } from "chai";

import {
  type SampleExport,
  writeSlackExport,
} from "../../packages/transfer/src/test-support/slack-export.ts";
import { writeZulipExport } from "../../packages/transfer/src/test-support/zulip-export.ts";

interface Message {
  readonly id: number;
  readonly sender_full_name: string;
  readonly subject: string;
  readonly content: string;
  readonly timestamp: number;
  readonly flags: readonly string[];
  readonly display_recipient: unknown;
  readonly reactions: readonly { readonly emoji_name: string; readonly user_id: number }[];
}

describe("exports of other servers, converted and imported", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const site = testSite();
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-foreign-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function importFrom(program: "slack" | "zulip", source: string): Promise<number> {
    const to = join(folder, program);
    await convertExport({ program, source, folder: to });
    const { realmId } = await importOrganization({
      databaseUrl: db.url,
      db,
      site,
      folder: to,
      subdomain: program,
      key: undefined,
      files: testFiles(),
    });
    return realmId;
  }

  /** Returns a client of an account. Replaces the API key of the account, which is not known. */
  async function as(realmId: number, address: string): Promise<GatewayClient> {
    const apiKey = createHash("md5").update(`${address} ${realmId}`).digest("hex");
    const hex = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString("hex")}`;
    const [row] = await db.rows<{ email: string; host: string }>(
      `UPDATE users u SET api_key_sealed = '${hex(site.secrets.seal(apiKey))}', api_key_digest = '${hex(site.secrets.digest(apiKey))}'
       FROM realms r WHERE r.id = u.realm_id AND u.realm_id = ${realmId} AND delivery_email = '${address}'
       RETURNING u.email, r.subdomain AS host`,
    );
    if (!row) throw new Error(`there is no account ${address}`);
    return gateway.as({ email: row.email, apiKey });
  }

  const done = (answer: Answer) => {
    expect(answer.body.result, answer.text).to.equal("success");
    return answer.body;
  };

  async function messagesOf(client: GatewayClient): Promise<Message[]> {
    const answer = await client.get("/api/v1/messages", {
      anchor: "oldest",
      num_before: 0,
      num_after: 1000,
      narrow: [],
      apply_markdown: true,
      allow_empty_topic_name: true,
    });
    return done(answer)["messages"] as Message[];
  }

  describe("from Slack", () => {
    const at = (second: number) => `${1_700_000_000 + second}.000100`;
    const sample: SampleExport = {
      days: {
        "2023-11-14": {
          general: [
            {
              user: "U0ADA",
              ts: at(1),
              text: "*Lunch* for <@U0BOB>? <!channel>",
              thread_ts: at(1),
              reply_count: 1,
              reactions: [
                { name: "tada", users: ["U0BOB"], count: 1 },
                { name: "parrot", users: ["U0BOB"], count: 1 },
              ],
            },
            { user: "U0BOB", ts: at(2), text: "Yes :parrot:", thread_ts: at(1) },
            {
              user: "U0BOB",
              ts: at(3),
              text: "the menu",
              files: [{ id: "F0MENU123", name: "menu.txt", mimetype: "text/plain" }],
            },
            { user: "U0GONE", ts: at(4), text: "@**all** [x](javascript:alert(1))" },
          ],
          secret: [{ user: "U0ADA", ts: at(5), text: "for two" }],
          D0AB: [{ user: "U0BOB", ts: at(6), text: "psst" }],
          "mpdm-ada--bob--gerda-1": [{ user: "U0GUEST", ts: at(7), text: "three of us" }],
        },
      },
      extra: [
        { name: "emoji/parrot.png", content: Buffer.from(pngPicture(32, 32)) },
        { name: "avatars/U0BOB.png", content: Buffer.from(pngPicture(200, 200)) },
        { name: "files/F0MENU123/menu.txt", content: "soup of the day" },
      ],
    };
    let realmId: number;
    before("convert and import", async () => {
      realmId = await importFrom("slack", await writeSlackExport(sample));
    });

    it("shows people their messages, rendered, in topics", async () => {
      const bob = await as(realmId, "u0bob@example.com");
      const messages = await messagesOf(bob);
      expect(messages.map((one) => [one.sender_full_name, one.subject])).to.deep.equal([
        ["Ada Lovelace", "Lunch for @Bob? @channel"],
        ["Bob", "Lunch for @Bob? @channel"],
        ["Bob", "general"],
        ["Gone Guy", "general"],
        ["Ada Lovelace", "general"],
        ["Bob", ""],
        ["Gerda Guest", ""],
      ]);
      const [first] = messages;
      expect(first?.timestamp).to.equal(1_700_000_001);
      expect(first?.flags).to.deep.equal(["read"]);
      expect(first?.content).to.match(
        /^<p><strong>Lunch<\/strong> for <span class="user-mention silent" data-user-id="\d+">Bob<\/span>\? <span class="user-mention channel-wildcard-mention silent"/,
      );
      expect(first?.reactions.map((one) => one.emoji_name)).to.deep.equal(["tada", "parrot"]);
      expect(messages[1]?.content).to.match(/<img alt=":parrot:" class="emoji"/);
      expect(messages[3]?.content).to.equal(
        "<p>&#64;&#42;&#42;all&#42;&#42; [x]&#40;javascript:alert(1))</p>",
      );
    });

    it("lets people download files, and shows guests only their channels", async () => {
      const bob = await as(realmId, "u0bob@example.com");
      const file = (await messagesOf(bob)).find(({ content }) => content.includes("menu.txt"));
      const path = /href="(\/user_uploads\/[^"]+)"/.exec(file?.content ?? "")?.[1];
      if (path === undefined) throw new Error(file?.content ?? "no message");
      const ada = await as(realmId, "u0ada@example.com");
      for (const reader of [bob, ada])
        expect((await reader.send("GET", path)).text).to.equal("soup of the day");
      const guest = await as(realmId, "u0guest@example.com");
      expect((await messagesOf(guest)).map(({ sender_full_name: name }) => name)).to.deep.equal([
        "Ada Lovelace",
        "Bob",
        "Bob",
        "Gone Guy",
        "Gerda Guest",
      ]);
    });

    it("shows accounts, pictures, channels and emoji", async () => {
      const ada = await as(realmId, "u0ada@example.com");
      const { members } = done(await ada.get("/api/v1/users")) as unknown as {
        members: readonly {
          full_name: string;
          is_active: boolean;
          role: number;
          avatar_url: string | null;
        }[];
      };
      const people = new Map(members.map((one) => [one.full_name, one]));
      expect(people.get("Ada Lovelace")).to.include({ is_active: true, role: 100 });
      expect(people.get("Gone Guy")).to.include({ is_active: false });
      expect(people.get("Bob")?.avatar_url).to.match(/\/user_avatars\//);
      const { streams } = done(
        await ada.get("/api/v1/streams", { exclude_archived: false }),
      ) as unknown as {
        streams: readonly { name: string; invite_only: boolean; is_archived: boolean }[];
      };
      expect(
        streams.map((one) => [one.name, one.invite_only, one.is_archived]),
      ).to.have.deep.members([
        ["general", false, false],
        ["old-project", false, true],
        ["secret", true, false],
      ]);
    });
  });

  describe("from Zulip", () => {
    let realmId: number;
    before("convert and import", async () => {
      realmId = await importFrom("zulip", await writeZulipExport());
    });

    it("shows people their messages with flags, reactions and edits", async () => {
      const ada = await as(realmId, "ada.lovelace@example.com");
      const messages = await messagesOf(ada);
      expect(
        messages.map((one) => [one.sender_full_name, one.subject, [...one.flags].sort()]),
      ).to.deep.equal([
        ["Ada Lovelace", "lunch", ["read", "starred"]],
        ["Bob Builder", "lunch", ["has_alert_word", "historical", "read"]],
        ["Bob Builder", "", []],
      ]);
      expect(messages[1]?.reactions.map((one) => one.emoji_name)).to.deep.equal(["party"]);
      const path = /href="(\/user_uploads\/[^"]+)"/.exec(messages[1]?.content ?? "")?.[1] ?? "";
      expect(path, messages[1]?.content).not.to.equal("");
      expect((await ada.send("GET", path)).text, path).to.equal("soup");
      const history = done(await ada.get(`/api/v1/messages/${messages[1]?.id}/history`))[
        "message_history"
      ];
      expect(
        (history as readonly { content?: string }[]).map(({ content }) => content?.slice(0, 3)),
      ).to.deep.equal(["Mee", "Me:"]);
      const bob = await as(realmId, "bob.builder@example.com");
      expect((await messagesOf(bob))[0]?.flags).to.include("mentioned");
    });

    it("keeps groups, permissions, subscriptions and scheduled messages", async () => {
      const ada = await as(realmId, "ada.lovelace@example.com");
      const groups = done(await ada.get("/api/v1/user_groups"))["user_groups"] as readonly {
        id: number;
        name: string;
        members: readonly number[];
        can_mention_group: unknown;
      }[];
      const engineers = groups.find(({ name }) => name === "engineers");
      expect(engineers?.members).to.have.length(1);
      expect(engineers?.can_mention_group).to.have.property("direct_members").with.length(1);
      const [subscription] = done(await ada.get("/api/v1/users/me/subscriptions"))[
        "subscriptions"
      ] as readonly object[];
      expect(subscription).to.include({
        name: "general",
        color: "#ff0000",
        is_muted: true,
        pin_to_top: true,
      });
      const scheduled = done(await ada.get("/api/v1/scheduled_messages"))[
        "scheduled_messages"
      ] as readonly {
        content: string;
        type: string;
      }[];
      expect(scheduled.map(({ content, type }) => [content, type])).to.deep.equal([
        ["scheduled 90", "stream"],
        ["scheduled 91", "private"],
      ]);
    });
  });
});
