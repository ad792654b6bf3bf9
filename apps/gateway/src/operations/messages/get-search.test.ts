import { getMessages, matchNarrow } from "@carillon/contract";
import {
  channel,
  channelMessage,
  countQueries,
  deliverNow,
  refused,
  schedule,
  type TestAccount,
  type TestChannel,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  all,
  idsFor,
  leaveUnread,
  post,
  term,
  write,
} from "../../test-support/reading-messages.ts";

const span = (text: string) => `<span class="highlight">${text}</span>`;

describe("GET /messages: search", () => {
  const scene = useScene();
  let me: TestAccount;
  let room: TestChannel;
  const sent: Record<string, number> = {};

  before(async () => {
    const { db, gateway, org } = scene;
    me = org.member;
    await user(db, org.realm, { fullName: "Ada Lovelace" });
    room = await channel(db, org.realm, { subscribers: [me, org.owner] });
    const add = async (name: string, topic: string, content: string) => {
      sent[name] = await post(gateway, org.owner, room, topic, content);
    };
    await add("soup", "Kitchen", "The **soups** are ready, and/or the salad");
    await add("quoted", "Kitchen", "“Soup”… he said—cooking");
    await add("strong", "Bold & <b>", "**Bold** and `code`");
    await add("topic", "Soup of the day", "Nothing else");
    await add("apples", "fruit", "ÄPFEL cafe\u0301 世界地図");
    await add("link", "fruit", "[here](https://pears.test/plums) https://grapes.test/a_b");
    await add("names", "fruit", `@**Ada Lovelace** :tada: $$x^2 + soup$$ 100%_sure C:\\new`);
    sent["direct"] = await write(gateway, org.owner, [me], "soup for you, \\x07");
  });

  const search = async (operand: unknown, ...more: unknown[]) => {
    const ids = await idsFor(scene.gateway, me, [term("search", operand), ...more]);
    return ids.map((id) => Object.keys(sent).find((name) => sent[name] === id) ?? id);
  };

  it("finds messages with all words by their stems, in any case", async () => {
    expect(await search("soup")).to.deep.equal(["soup", "quoted", "topic", "names", "direct"]);
    expect(await search("SOUPS ready")).to.deep.equal(["soup"]);
    expect(await search("soup cooked")).to.deep.equal(["quoted"]);
    expect(await search("soup bread")).to.deep.equal([]);
    expect(await search("the soup of the day")).to.deep.equal(["topic"]);
    expect(await search("äpfel")).to.deep.equal(["apples"]);
    expect(await search("café")).to.deep.equal(["apples"]);
    expect(await search("cafe\u0301")).to.deep.equal(["apples"]);
  });

  it("ignores punctuation in messages and queries", async () => {
    expect(await search("salad")).to.deep.equal(["soup"]);
    expect(await search("said")).to.deep.equal(["quoted"]);
    expect(await search("ready,the?salad!")).to.deep.equal(["soup"]);
    expect(await search("grapes")).to.deep.equal(["link"]);
    expect(await search("https://grapes.test/a_b")).to.deep.equal(["link"]);
    expect(await search("C:\\new")).to.deep.equal(["names"]);
    for (const operators of [
      "soup & !salad",
      "soup | bread",
      "(soup",
      "soup:*",
      "'soup' <-> bread",
    ])
      expect(await search(operators), operators).to.deep.equal(
        operators.includes("bread")
          ? []
          : operators.includes("salad")
            ? ["soup"]
            : ["soup", "quoted", "topic", "names", "direct"],
      );
  });

  it("ignores tags, attributes and entities of the HTML", async () => {
    for (const word of ["strong", "pears", "plums", "href", "amp", "lt", "span"])
      expect(await search(word), word).to.deep.equal([]);
    expect(await search("bold b")).to.deep.equal(["strong"]);
    expect(await search("lovelace tada")).to.deep.equal(["names"]);
  });

  it("finds characters of scripts without spaces", async () => {
    expect(await search("世界")).to.deep.equal(["apples"]);
    expect(await search("地図")).to.deep.equal(["apples"]);
    expect(await search("世海")).to.deep.equal([]);
  });

  it("finds nothing for queries without a searchable word", async () => {
    for (const nothing of [
      "the",
      "and the of",
      "!?",
      " ",
      "\u0007",
      "😀",
      "\u200f",
      '"',
      '""',
      '"the"',
    ])
      expect(await search(nothing), nothing).to.deep.equal([]);
  });

  it("matches quoted phrases literally in the source text or the topic", async () => {
    expect(await search('"are ready"')).to.deep.equal(["soup"]);
    expect(await search('"ARE READY, AND" soup')).to.deep.equal(["soup"]);
    expect(await search('"ready the salad"')).to.deep.equal([]);
    expect(await search('"**soups**"')).to.deep.equal(["soup"]);
    expect(await search('"of the day"')).to.deep.equal(["topic"]);
    expect(await search('"day nothing"')).to.deep.equal([]);
    expect(await search('"100%_sure"')).to.deep.equal(["names"]);
    expect(await search('"100__sure"')).to.deep.equal([]);
    expect(await search('"ÄPfel CAFE\u0301"')).to.deep.equal(["apples"]);
    for (const expression of ['"soup.*"', '"^soup"', '"(soup"', '"soup|salad"', '"***=soup"'])
      expect(await search(expression), expression).to.deep.equal([]);
    expect(await search('"C:\\new"')).to.deep.equal(["names"]);
    expect(await search('"pears.test" here')).to.deep.equal([]);
    expect(await search('"salad for')).to.deep.equal(["soup"]);
    expect(await search('"soup" "for you"')).to.deep.equal(["direct"]);
    expect(await search('"soup\u0007"')).to.deep.equal([]);
  });

  it("combines its terms and ignores their negation", async () => {
    expect(await search("soup", term("search", "salad"))).to.deep.equal(["soup"]);
    expect(await search('"are', term("search", 'ready"'))).to.deep.equal(["soup"]);
    expect(await search("the", term("search", "salad"))).to.deep.equal(["soup"]);
    expect(await idsFor(scene.gateway, me, [term("search", "salad", true)])).to.deep.equal([
      sent["soup"],
    ]);
    expect(await idsFor(scene.gateway, me, [["search", "salad"]])).to.deep.equal([sent["soup"]]);
  });

  it("combines with every other operator", async () => {
    const { db, org } = scene;
    const soups = ["soup", "quoted", "topic", "names", "direct"];
    expect(await search("soup", term("channel", room.id))).to.deep.equal(soups.slice(0, 4));
    expect(await search("soup", term("channels", "public"))).to.deep.equal(soups.slice(0, 4));
    expect(await search("soup", term("topic", "kitchen"))).to.deep.equal(["soup", "quoted"]);
    expect(
      await search("soup", term("topic", "kitchen", true), term("channel", room.id)),
    ).to.deep.equal(["topic", "names"]);
    expect(await search("soup", term("dm", [org.owner.id]))).to.deep.equal(["direct"]);
    expect(await search("soup", term("dm-with", org.owner.id))).to.deep.equal(["direct"]);
    expect(await search("soup", term("is", "dm"))).to.deep.equal(["direct"]);
    expect(await search("soup", term("is", "dm", true))).to.deep.equal(soups.slice(0, 4));
    expect(await search("soup", term("sender", org.owner.id))).to.deep.equal(soups);
    expect(await search("soup", term("sender", me.id))).to.deep.equal([]);
    expect(await search("soup", term("id", sent["quoted"]))).to.deep.equal(["quoted"]);
    expect(await search("soup", term("near", "5"))).to.deep.equal(soups);
    expect(await search("soup", term("with", sent["quoted"]))).to.deep.equal(["soup", "quoted"]);
    expect(await search("grapes", term("has", "link"))).to.deep.equal(["link"]);
    expect(await search("soup", term("in", "home"))).to.deep.equal(soups);
    await leaveUnread(db, me, sent["quoted"] ?? 0, sent["link"] ?? 0);
    expect(await search("soup", term("is", "unread"))).to.deep.equal(["quoted"]);
    expect(await search("soup", term("is", "unread", true))).to.deep.equal(
      soups.filter((name) => name !== "quoted"),
    );
  });

  it("accepts windows, anchors, message IDs and the first unread message", async () => {
    const found = async (params: object) => {
      const narrow = [term("search", "soup")];
      const answer = await scene.gateway
        .as(me)
        .succeed(getMessages, { params: { narrow, ...params } });
      const { messages, ...rest } = answer;
      return {
        ids: messages.map(({ id }) => id),
        anchor: rest.anchor,
        ends: [rest.found_oldest, rest.found_anchor, rest.found_newest],
      };
    };
    const [soup, quoted, topic, names, direct] = ["soup", "quoted", "topic", "names", "direct"].map(
      (name) => sent[name],
    );
    expect(await found({ anchor: "newest", num_before: 2, num_after: 0 })).to.deep.equal({
      ids: [names, direct],
      anchor: 1e16,
      ends: [false, false, true],
    });
    expect(await found({ anchor: "oldest", num_before: 0, num_after: 2 })).to.deep.equal({
      ids: [soup, quoted],
      anchor: 0,
      ends: [true, false, false],
    });
    expect(await found({ anchor: topic, num_before: 1, num_after: 5 })).to.deep.equal({
      ids: [quoted, topic, names, direct],
      anchor: topic,
      ends: [false, true, true],
    });
    expect(await found({ anchor: sent["strong"], num_before: 5, num_after: 1 })).to.deep.equal({
      ids: [soup, quoted, topic],
      anchor: sent["strong"],
      ends: [true, false, false],
    });
    expect((await found({ message_ids: Object.values(sent) })).ids).to.deep.equal([
      soup,
      quoted,
      topic,
      names,
      direct,
    ]);
    await leaveUnread(scene.db, me, sent["strong"] ?? 0, sent["topic"] ?? 0);
    expect((await found({ anchor: "first_unread", num_before: 0, num_after: 0 })).anchor).to.equal(
      topic,
    );
  });

  it("highlights matches in content and topic, also without Markdown", async () => {
    const first = async (operand: string, more: object = {}, ...terms: unknown[]) => {
      const narrow = [term("search", operand), ...terms];
      const { messages } = await all(scene.gateway, me, narrow, more);
      return messages[0] ?? expect.fail("nothing was found");
    };
    const soup = await first("salad soup");
    expect(soup.content).to.equal("<p>The <strong>soups</strong> are ready, and/or the salad</p>");
    expect(soup.match_content).to.equal(
      `<p>The <strong>${span("soups")}</strong> are ready, and/or the ${span("salad")}</p>`,
    );
    expect(soup.match_subject).to.equal("Kitchen");
    const raw = await first("salad", { apply_markdown: false });
    expect(raw.content).to.equal("The **soups** are ready, and/or the salad");
    expect(raw.match_content).to.equal(
      `<p>The <strong>soups</strong> are ready, and/or the ${span("salad")}</p>`,
    );
    const bold = await first("bold b");
    expect(bold.match_subject).to.equal(`${span("Bold")} &amp; &lt;${span("b")}&gt;`);
    const names = await first("ada tada x soup");
    expect(names.match_content)
      .to.include(`@${span("Ada")} Lovelace</span>`)
      .and.include(`:${span("tada")}:`);
    expect(names.match_content?.split('<span class="highlight">')).to.have.length(3);
    const direct = await first("soup", {}, term("is", "dm"));
    expect([direct.match_subject, direct.match_content]).to.deep.equal([
      "",
      `<p>${span("soup")} for you, \\x07</p>`,
    ]);
    expect(await all(scene.gateway, me))
      .to.have.property("messages")
      .that.satisfies((messages: object[]) =>
        messages.every((message) => !("match_content" in message) && !("match_subject" in message)),
      );
  });

  it("highlights matches for matches_narrow", async () => {
    const ask = async (narrow: unknown[]) =>
      (
        await scene.gateway
          .as(me)
          .succeed(matchNarrow, { params: { msg_ids: Object.values(sent), narrow } })
      ).messages;
    expect(await ask([term("search", "salad")])).to.deep.equal({
      [sent["soup"] ?? 0]: {
        match_content: `<p>The <strong>soups</strong> are ready, and/or the ${span("salad")}</p>`,
        match_subject: "Kitchen",
      },
    });
    expect(Object.keys(await ask([term("search", "soup"), term("is", "dm")]))).to.deep.equal([
      String(sent["direct"]),
    ]);
    expect(await ask([term("search", "the")])).to.deep.equal({});
  });

  it("refuses invalid queries and queries that exceed the limits", async () => {
    const { db, gateway } = scene;
    const no = (code: string, ...narrow: unknown[]) =>
      refused(
        db,
        () =>
          gateway.as(me).call(getMessages, {
            params: { anchor: "newest", num_before: 5, num_after: 5, narrow },
          }),
        code,
      );
    for (const operand of ["", 5, [5], null, undefined, {}, "a\0b", "\ud800"])
      await no("BAD_REQUEST", term("search", operand));
    const long = "x".repeat(500);
    expect(await search(long)).to.deep.equal([]);
    expect(await search("😀".repeat(500))).to.deep.equal([]);
    await no("BAD_REQUEST", term("search", `${long}x`));
    await no("BAD_REQUEST", term("search", "x".repeat(100_000)));
    await no("BAD_REQUEST", term("search", "x".repeat(250)), term("search", "x".repeat(250)));
    await no("BAD_REQUEST", term("search", '"'.repeat(10_000)));
    const phrases = (count: number) =>
      Array.from({ length: count }, (_, n) => `"soup${n}"`).join(" ");
    expect(await search(phrases(10))).to.deep.equal([]);
    await no("BAD_REQUEST", term("search", phrases(11)));
    expect(await search(`"${"x".repeat(200)}"`)).to.deep.equal([]);
    await no("BAD_REQUEST", term("search", `"${"x".repeat(201)}"`));
    await no("BAD_REQUEST", term("search", `"${"x".repeat(100)}" "${"y".repeat(101)}"`));
    const words = (count: number) => Array.from({ length: count }, (_, n) => `soup${n}`).join(" ");
    expect(await search(words(40))).to.deep.equal([]);
    expect(await search("soup soup SOUPS ".repeat(30).trim())).to.have.length(5);
    await no("BAD_NARROW", term("search", words(41)));
  });

  it("finds scheduled messages as soon as they are delivered", async () => {
    const { db, org } = scene;
    const content = "Olives, at “noon”";
    const client = scene.as(me);
    const id = await schedule(client, channelMessage(room.id, { content, topic: "Lunch & more" }));
    expect(await search("olives")).to.deep.equal([]);
    await deliverNow(db, org.realm, [id]);
    expect(await search("olive noon lunch")).to.have.length(1);
  });

  it("runs the same number of statements for any number of results", async () => {
    const count = async (operand: string) =>
      (await countQueries(scene.db, () => search(operand))).count;
    expect(await count("soup ready salad")).to.equal(await count("soup"));
  });
});
