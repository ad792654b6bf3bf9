import {
  changeChannel,
  changeOrganization,
  channel,
  channelMessage,
  directMessage,
  type Params,
  scheduleAndRead,
  scheduleRefused,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const marker = "\n[message truncated]";
const emoji = "😀";

describe("Content of a scheduled message", () => {
  const scene = useScene();
  let room: TestChannel;
  before(async () => {
    room = await channel(scene.db, scene.org.realm);
  });

  const stored = async (content: string) =>
    (await scheduleAndRead(scene.as(scene.org.member), channelMessage(room.id, { content })))
      .content;

  for (const [what, given, kept] of [
    ["is trimmed at its end", "hi \t\r\n \u00a0\u3000", "hi"],
    ["loses line breaks at its start, but no other white space", "\n\n  hi", "  hi"],
    ["keeps inner white space", "\n \n a  b\n\nc \n", " \n a  b\n\nc"],
    ["keeps quotes, since it is not parsed as JSON", '"hi"', '"hi"'],
    ["may have exactly 10,000 characters", "x".repeat(10_000), "x".repeat(10_000)],
    ["is truncated beyond the limit", "x".repeat(10_001), "x".repeat(9_980) + marker],
    ["is trimmed before it is truncated", `\n${"x".repeat(10_000)}   \n`, "x".repeat(10_000)],
    ["counts code points", emoji.repeat(10_000), emoji.repeat(10_000)],
    ["is truncated between code points", emoji.repeat(10_001), emoji.repeat(9_980) + marker],
    [
      "is truncated between code points at odd offsets too",
      `x${emoji.repeat(10_000)}`,
      `x${emoji.repeat(9_979)}${marker}`,
    ],
    ["may be a mebibyte", "y".repeat(1 << 20), "y".repeat(9_980) + marker],
  ] as const) {
    it(what, async () => {
      const content = await stored(given);
      expect(content === kept, `${content.length} units: ${content.slice(-30)}`).to.equal(true);
    });
  }

  for (const content of ["", " ", "\n\n\n", " \t\r\n", "\u00a0\u3000\u2003", "a\0b", "\0"]) {
    it(`is refused: ${JSON.stringify(content)}`, async () => {
      await scheduleRefused(scene, scene.org.member, channelMessage(room.id, { content }));
      await scheduleRefused(
        scene,
        scene.org.member,
        directMessage([scene.org.guest.id], { content }),
      );
    });
  }
});

describe("The topic of a scheduled message", () => {
  const scene = useScene();
  let room: TestChannel;
  before(async () => {
    room = await channel(scene.db, scene.org.realm);
  });

  const stored = async (over: Params) =>
    (await scheduleAndRead(scene.as(scene.org.member), channelMessage(room.id, over))).topic;
  const refused = (over: Params, code?: string, extra?: Readonly<Record<string, unknown>>) =>
    scheduleRefused(scene, scene.org.member, channelMessage(room.id, over), code, extra);

  for (const [what, given, kept] of [
    ["is trimmed on both sides", " \t lunch time \n", "lunch time"],
    ["may have 60 characters", "x".repeat(60), "x".repeat(60)],
    ["is truncated beyond the limit", "x".repeat(61), `${"x".repeat(57)}...`],
    ["is trimmed before it is truncated", `   ${"x".repeat(60)}   `, "x".repeat(60)],
    ["may be 60 astral characters", emoji.repeat(60), emoji.repeat(60)],
    ["is truncated between code points", emoji.repeat(61), `${emoji.repeat(57)}...`],
    [
      "is truncated between code points at odd offsets too",
      `x${emoji.repeat(60)}`,
      `x${emoji.repeat(56)}...`,
    ],
    ["may be empty", "", ""],
    ["is empty if it is only white space", " \n ", ""],
    ["is empty for (no topic)", "(no topic)", ""],
    ["is empty for the display name of the empty topic", "general chat", ""],
    ["is empty for (no topic) between spaces", "  (no topic) ", ""],
    ["is compared with (no topic) exactly", "(No Topic)", "(No Topic)"],
    ["is compared with the display name exactly", "General chat", "General chat"],
    ["is not parsed as JSON", '"quoted"', '"quoted"'],
    ["may contain combining characters", "👩\u200d🚀 a\u0301", "👩\u200d🚀 a\u0301"],
    ["may contain characters that need escaping", `<b>&"'\\%_`, `<b>&"'\\%_`],
  ] as const) {
    it(what, async () => expect(await stored({ topic: given })).to.equal(kept));
  }

  for (const topic of [
    "a\nb",
    "a\tb",
    "a\0b",
    "a\u001bb",
    "a\u007fb",
    "a\u0085b",
    "a\ufffeb",
    "a\ufdd0b",
    "a\u{1ffff}b",
  ]) {
    it(`is refused: ${JSON.stringify(topic)} (${topic.codePointAt(1)?.toString(16)})`, async () => {
      await refused({ topic });
    });
  }

  it("may be given as subject, but not as both", async () => {
    expect(await stored({ topic: undefined, subject: "old name" })).to.equal("old name");
    const both = { topic: "a", subject: "a" };
    const names = { var_name1: "topic", var_name2: "subject" };
    await refused(both, "REQUEST_CONFUSING_VAR", names);
  });

  it("is ignored for direct messages, whatever its value", async () => {
    const { member, guest } = scene.org;
    for (const topic of ["x", "", "(no topic)", "\n", "a\u0007b", "x".repeat(500)]) {
      const record = await scheduleAndRead(scene.as(member), directMessage([guest.id], { topic }));
      expect(record).not.to.have.property("topic");
    }
  });

  it("is ignored for direct messages even with an invalid character", async () => {
    const { member, guest } = scene.org;
    const params = directMessage([guest.id], { topic: "a\0b" });
    expect(await scheduleAndRead(scene.as(member), params)).not.to.have.property("topic");
  });

  describe("with a topics policy", () => {
    const shown = { empty_topic_display_name: "general chat" };
    after(() =>
      changeOrganization(scene.db, scene.org.realm, { topicsPolicy: "allow_empty_topic" }),
    );

    it("must not be empty under disable_empty_topic", async () => {
      await changeChannel(scene.db, room, { topicsPolicy: "disable_empty_topic" });
      for (const topic of ["", "  ", "(no topic)", "general chat"]) {
        await refused({ topic }, "BAD_REQUEST", shown);
      }
      expect(await stored({ topic: "fine" })).to.equal("fine");
    });

    it("must be empty under empty_topic_only", async () => {
      await changeChannel(scene.db, room, { topicsPolicy: "empty_topic_only" });
      await refused({ topic: "lunch" }, "BAD_REQUEST", shown);
      for (const topic of ["", "(no topic)", "general chat"]) {
        expect(await stored({ topic })).to.equal("");
      }
    });

    it("inherits the organization's policy", async () => {
      await changeOrganization(scene.db, scene.org.realm, { topicsPolicy: "disable_empty_topic" });
      await changeChannel(scene.db, room, { topicsPolicy: "inherit" });
      await refused({ topic: "" }, "BAD_REQUEST", shown);
      await changeChannel(scene.db, room, { topicsPolicy: "allow_empty_topic" });
      expect(await stored({ topic: "" })).to.equal("");
    });

    it("follows another display name of the empty topic", async () => {
      const { org, db } = scene;
      await changeOrganization(db, org.realm, { emptyTopicDisplayName: "allgemein" });
      await changeChannel(db, room, { topicsPolicy: "disable_empty_topic" });
      const other = { empty_topic_display_name: "allgemein" };
      await refused({ topic: "allgemein" }, "BAD_REQUEST", other);
      await refused({ topic: "(no topic)" }, "BAD_REQUEST", other);
      expect(await stored({ topic: "general chat" })).to.equal("general chat");
      await changeOrganization(db, org.realm, { emptyTopicDisplayName: "general chat" });
    });
  });
});
