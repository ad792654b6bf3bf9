import { expect } from "chai";
import { parseMessage } from "./parse-message.ts";
import { html, render } from "./test-support/sample-organization.ts";

const p = (inside: string): string => `<p>${inside}</p>`;
const ada = '<span class="user-mention" data-user-id="5">@Ada Lovelace</span>';
const silentAda = '<span class="user-mention silent" data-user-id="5">Ada Lovelace</span>';

describe("Mentions", () => {
  it("finds a user by name in any case, by name and ID, and by ID", () => {
    for (const name of ["Ada Lovelace", "ada LOVELACE", "Ada Lovelace|5", "ADA lovelace|5", "|5"]) {
      const { html: out, mentionedUserIds } = render(`hi @**${name}**!`);
      expect(out).to.equal(p(`hi ${ada}!`));
      expect(mentionedUserIds).to.deep.equal([5]);
    }
  });

  it("mentions nobody if name and ID do not match, or the name is unknown", () => {
    for (const name of ["Ada Lovelace|6", "Nobody", "|999", "|99999999999"]) {
      const { html: out, mentionedUserIds } = render(`@**${name}**`);
      expect(out).to.equal(p(`@<strong>${name}</strong>`));
      expect(mentionedUserIds).to.deep.equal([]);
    }
  });

  it("keeps other mentions of a text with an unknown name", () => {
    const { html: out, mentionedUserIds } = render("@**Nobody** @**Ada Lovelace** #**secret**");
    expect(out).to.equal(p(`@<strong>Nobody</strong> ${ada} #<strong>secret</strong>`));
    expect(mentionedUserIds).to.deep.equal([5]);
  });

  it("prefers the active one of two users with the same name", () => {
    expect(html("@**Sam Twin**")).to.contain('data-user-id="9"');
    expect(html("@**Sam Twin|8**")).to.contain('data-user-id="8"');
  });

  it("escapes names", () => {
    expect(html("@**Grace <Hopper>**")).to.equal(
      p('<span class="user-mention" data-user-id="6">@Grace &lt;Hopper&gt;</span>'),
    );
  });

  it("lists each mentioned user once", () => {
    expect(render("@**|5** @**|6** @**ada lovelace**").mentionedUserIds).to.deep.equal([5, 6]);
  });

  it("is silent with an underscore", () => {
    const { html: out, mentionedUserIds } = render("@_**Ada Lovelace**");
    expect(out).to.equal(p(silentAda));
    expect(mentionedUserIds).to.deep.equal([]);
  });

  it("is silent for deactivated users and groups", () => {
    const rendered = render("@**Gone Guy** @*old team*");
    expect(rendered.html).to.equal(
      p(
        '<span class="user-mention silent" data-user-id="7">Gone Guy</span> ' +
          '<span class="user-group-mention silent" data-user-group-id="23">old team</span>',
      ),
    );
    expect(rendered.mentionedUserIds).to.deep.equal([]);
    expect(rendered.mentionedGroupIds).to.deep.equal([]);
  });

  it("mentions all members of a channel", () => {
    for (const name of ["all", "everyone", "channel", "stream"]) {
      const rendered = render(`@**${name}**`);
      expect(rendered.html).to.equal(
        p(`<span class="user-mention channel-wildcard-mention" data-user-id="*">@${name}</span>`),
      );
      expect(rendered.channelWildcard).to.equal(true);
      expect(rendered.topicWildcard).to.equal(false);
      expect(parseMessage(`@**${name}**`).hasWildcard).to.deep.equal({
        channel: true,
        topic: false,
      });
    }
    const silent = render("@_**all**");
    expect(silent.html).to.equal(
      p('<span class="user-mention channel-wildcard-mention silent" data-user-id="*">all</span>'),
    );
    expect(silent.channelWildcard).to.equal(false);
  });

  it("mentions all participants of a topic", () => {
    const rendered = render("@**topic**");
    expect(rendered.html).to.equal(p('<span class="topic-mention">@topic</span>'));
    expect(rendered.topicWildcard).to.equal(true);
    expect(html("@_**topic**")).to.equal(p('<span class="topic-mention silent">topic</span>'));
    expect(parseMessage("@**topic**").hasWildcard).to.deep.equal({ channel: false, topic: true });
  });

  it("mentions groups, by exact case if two differ in case only", () => {
    const rendered = render("@*backend* @*Backend* @_*backend*");
    expect(rendered.html).to.equal(
      p(
        '<span class="user-group-mention" data-user-group-id="21">@backend</span> ' +
          '<span class="user-group-mention" data-user-group-id="22">@Backend</span> ' +
          '<span class="user-group-mention silent" data-user-group-id="21">backend</span>',
      ),
    );
    expect(rendered.mentionedGroupIds).to.deep.equal([21, 22]);
    expect(html("@*BACKEND*")).to.contain('data-user-group-id="21"');
    expect(html("@*nobody*")).to.equal(p("@<em>nobody</em>"));
  });

  it("shows system groups by their display name", () => {
    expect(html("@_*role:administrators*")).to.equal(
      p('<span class="user-group-mention silent" data-user-group-id="24">Administrators</span>'),
    );
  });

  it("makes all mentions in a quote silent", () => {
    for (const text of [
      "> @**Ada Lovelace** @*backend* @**all** @**topic**",
      "```quote\n@**Ada Lovelace** @*backend* @**all** @**topic**\n```",
      "> * > @**Ada Lovelace** @*backend* @**all** @**topic**",
    ]) {
      const rendered = render(text);
      expect(rendered.html).to.contain(silentAda).and.not.to.contain("@");
      expect(rendered.mentionedUserIds).to.deep.equal([]);
      expect(rendered.mentionedGroupIds).to.deep.equal([]);
      expect([rendered.channelWildcard, rendered.topicWildcard]).to.deep.equal([false, false]);
      expect(parseMessage(text).hasWildcard).to.deep.equal({ channel: false, topic: false });
    }
    expect(render("> a\n\n@**Ada Lovelace**").mentionedUserIds).to.deep.equal([5]);
  });

  it("ignores mentions in code", () => {
    for (const text of ["`@**all**`", "```\n@**all**\n```", "    @**all**"]) {
      expect(html(text)).not.to.contain("mention");
      expect(parseMessage(text).hasWildcard.channel).to.equal(false);
    }
  });

  it("requires the start, white space or an opening character before it", () => {
    for (const before of ["", "a ", "a\n", "'", '"', "(", "{", "[", "/", "<"]) {
      expect(render(`${before}@**all**`).channelWildcard, before).to.equal(true);
    }
    for (const before of ["a", ".", "*", "@", ")"]) {
      expect(render(`${before}@**all**`).channelWildcard, before).to.equal(false);
    }
  });
});

describe("Names that a text refers to", () => {
  it("are none for most texts", () => {
    expect(parseMessage("hi @all, see #general").names).to.deep.equal({
      userNames: [],
      userIds: [],
      foldedNames: [],
      groupNames: [],
      channelNames: [],
      topics: [],
    });
  });

  it("are listed once each", () => {
    const text =
      "@**Ada Lovelace** @_**ada lovelace** @**X|7** @**|7** @*Backend* @_*backend* @**all** " +
      "#**name** #**name>Topic** #**name>Topic** #**other>t@5** `@**Code**`";
    expect(parseMessage(text).names).to.deep.equal({
      userNames: ["Ada Lovelace", "ada lovelace"],
      userIds: [7],
      foldedNames: ["Ada Lovelace", "ada lovelace", "X", "", "Backend", "backend"],
      groupNames: ["Backend", "backend"],
      channelNames: ["name", "other"],
      topics: [{ channelName: "name", topic: "Topic" }],
    });
  });
});
