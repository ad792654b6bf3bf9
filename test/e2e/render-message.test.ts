import { bot } from "@carillon/testkit";
import { expect } from "chai";
import { refusedWith, succeeded } from "./support/answers.ts";
import { useScene } from "./support/scene.ts";
import { footprint } from "./support/scheduling.ts";

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

  it("knows the people of the caller's organization, and mentions nobody", async () => {
    const { guest, realm } = scene.org;
    const before = await footprint(scene.db, realm.id);
    expect(await rendered(`@**${guest.fullName.toUpperCase()}**`)).to.equal(
      `<p><span class="user-mention" data-user-id="${guest.id}">@${guest.fullName}</span></p>`,
    );
    expect(await footprint(scene.db, realm.id)).to.deep.equal(before);
  });

  it("checks neither length nor permission", async () => {
    expect(await rendered("x".repeat(20_000))).to.equal(`<p>${"x".repeat(20_000)}</p>`);
    const guest = await scene.as(scene.org.guest).post(path, { content: "@**all**" });
    expect(succeeded(guest)).to.have.all.keys("result", "msg", "rendered");
  });

  it("needs content and credentials", async () => {
    const client = scene.as(scene.org.member);
    refusedWith(await client.post(path), "REQUEST_VARIABLE_MISSING", { var_name: "content" });
    refusedWith(
      await scene.gateway.anonymous.post(path, { content: "x" }),
      "UNAUTHORIZED",
      {},
      401,
    );
    const webhook = await bot(scene.db, scene.org.member, { botType: 2 });
    refusedWith(await scene.as(webhook).post(path, { content: "x" }), "UNAUTHORIZED", {}, 401);
    const answer = await client.post(path, { content: "x", topic: "y" });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal(["topic"]);
  });
});
