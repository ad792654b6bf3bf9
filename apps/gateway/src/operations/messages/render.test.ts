import {
  bot,
  channel,
  countQueries,
  changesOf,
  refusedWith,
  send,
  succeeded,
  toChannel,
  trickyTexts,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const path = "/api/v1/messages/render";

describe("Rendering a message", () => {
  const scene = useScene();
  const rendered = async (content: string) =>
    succeeded(await scene.as(scene.org.member).post(path, { content }))["rendered"];

  for (const [source, html] of [
    ["one\ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>"],
    [
      "**b** *i* ***bi*** ~~s~~ `c`",
      "<p><strong>b</strong> <em>i</em> <strong><em>bi</em></strong> <del>s</del> <code>c</code></p>",
    ],
    ["<h1>x</h1> & 'y'", "<p>&lt;h1&gt;x&lt;/h1&gt; &amp; 'y'</p>"],
    ["* a\n* b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["3. a", '<ol start="3">\n<li>a</li>\n</ol>'],
    ["> a", "<blockquote>\n<p>a</p>\n</blockquote>"],
    [
      "```\na <b>\n```",
      '<div class="codehilite"><pre><span></span><code>a &lt;b&gt;\n</code></pre></div>',
    ],
    ["[t](https://a.test/?x=1&y=2)", '<p><a href="https://a.test/?x=1&amp;y=2">t</a></p>'],
    ["[t](javascript:alert)", "<p>[t](javascript:alert)</p>"],
    ["@**Nobody Of That Name**", "<p>@<strong>Nobody Of That Name</strong></p>"],
    [
      "@**all**",
      '<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span></p>',
    ],
    ["/me waves", "<p>/me waves</p>"],
    ["", ""],
  ] as const) {
    it(`turns ${JSON.stringify(source)} into HTML`, async () => {
      expect(await rendered(source)).to.equal(html);
    });
  }

  it("links to the newest message of each topic, with the same number of statements for many topics", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const ids = [];
    for (const topic of ["a", "b", "A"])
      ids.push(await send(scene.as(org.member), toChannel(room.id, { topic })));
    const link = (topic: string) => `#**${room.name}>${topic}**`;
    const few = await countQueries(db, () => rendered(link("a")));
    const topics = ["a", "b", ...Array.from({ length: 100 }, (_, n) => `none ${n}`)];
    const many = await countQueries(db, () => rendered(topics.map(link).join(" ")));
    expect(many.result).to.contain(`/with/${ids[2]}"`).and.contain(`/with/${ids[1]}"`);
    expect(many.result).not.to.contain(`/with/${ids[0]}"`);
    expect(many.count, many.statements.join("\n")).to.equal(few.count);
  });

  it("finds names in every spelling that the database considers equal, also with an ID", async () => {
    const wrong: string[] = [];
    for (const [n, text] of trickyTexts.entries()) {
      const fullName = `${n} ${text}x ${text}`;
      const { id } = await user(scene.db, scene.org.realm, { fullName });
      const spelled = [...new Set([fullName, fullName.toLowerCase(), fullName.toUpperCase()])];
      const same = await scene.db.rows<{ same: boolean }>(
        "SELECT lower(w) = lower($2) AS same FROM unnest($1::text[]) WITH ORDINALITY AS s (w, ord) ORDER BY ord",
        [spelled, fullName],
      );
      const html = await rendered(
        spelled.flatMap((s) => [`@**${s}**`, `@**${s}|${id}**`]).join("\n\n"),
      );
      const lines = String(html).split("\n");
      for (const [i, line] of lines.entries()) {
        const found = line.includes(`data-user-id="`);
        if (found !== same[i >> 1]?.same) wrong.push(`${spelled[i >> 1]}: ${line}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it("knows the accounts of the caller's organization, and mentions nobody", async () => {
    const { guest } = scene.org;
    const { result, tables } = await changesOf(scene.db, () =>
      rendered(`@**${guest.fullName.toUpperCase()}**`),
    );
    expect(result).to.equal(
      `<p><span class="user-mention" data-user-id="${guest.id}">@${guest.fullName}</span></p>`,
    );
    expect(tables).to.deep.equal([]);
  });

  it("finds names whose capitals PostgreSQL lowers differently from JavaScript", async () => {
    const { db, org } = scene;
    for (const fullName of ["İpek", "ΝΙΚΟΣ ΠΑΠΠΑΣ", "ẞeta", "Ǆenan"]) {
      const { id } = await user(db, org.realm, { fullName });
      const mention = `<span class="user-mention" data-user-id="${id}">@${fullName}</span>`;
      expect(await rendered(`@**${fullName}**`)).to.equal(`<p>${mention}</p>`);
    }
  });

  it("accepts the longest message, and refuses longer ones before any look-up", async () => {
    const longest = "\u{1f12f}".repeat(10_000);
    expect(await rendered(longest)).to.equal(`<p>${longest}</p>`);
    const client = scene.as(scene.org.member);
    const msg = "content must not have more than 10000 code points";
    const { count: few } = await countQueries(scene.db, () => rendered("x"));
    for (const content of [`${longest}x`, "@**a** :b: ".repeat(40_000)]) {
      const { result, count } = await countQueries(scene.db, () => client.post(path, { content }));
      refusedWith(result, "BAD_REQUEST");
      expect(result.body).to.include({ msg });
      expect(count).to.be.lessThan(few);
    }
  });

  it("checks no permission", async () => {
    const guest = await scene.as(scene.org.guest).post(path, { content: "@**all**" });
    expect(succeeded(guest)).to.have.all.keys("result", "msg", "rendered");
  });

  it("requires content and credentials", async () => {
    const client = scene.as(scene.org.member);
    refusedWith(await client.post(path), "REQUEST_VARIABLE_MISSING", { var_name: "content" });
    refusedWith(
      await scene.gateway.anonymous.post(path, { content: "x" }),
      "UNAUTHORIZED",
      {},
      401,
    );
    const webhook = await bot(scene.db, scene.org.member, { botType: 2 });
    refusedWith(await scene.as(webhook).post(path, { content: "x" }), "UNAUTHORIZED");
    const answer = await client.post(path, { content: "x", topic: "y" });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal(["topic"]);
  });
});
