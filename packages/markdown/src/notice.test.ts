import { expect } from "chai";
import { hostileFragments } from "./test-support/hostile-fragments.ts";
import { findFault } from "./html-check.test.ts";
import {
  bulletList,
  channelLink,
  directMessageLink,
  emphasised,
  messageLink,
  moment,
  type Notice,
  notice,
  paragraph,
  quoted,
  silentGroup,
  silentUser,
  verbatim,
  topicLink,
} from "./notice.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { lookups } from "./test-support/sample-organization.ts";
import type { Lookups } from "./types.ts";

const hostileNames = [
  "x*. **Security:** [log in again](https://evil.example/x) *",
  "[log in](https://evil.example)",
  "evil.example",
  "https://evil.example/x",
  "someone@evil.example",
  "@**all**",
  "#**name>topic**",
  "a|5",
  "**",
  "*",
  "`",
  "`` ` ```",
  "```\n# big",
  "a\n\n> quoted\n* list\n1. more",
  "1. one",
  "- one",
  "# one",
  "> one",
  "    code",
  "~~gone~~",
  "$$x$$",
  ":smile: 🙂",
  "<time:2024-03-07>",
  "&lt;b&gt; <b>x</b>",
  "a  b ",
  "---",
  "|a|b|\n|-|-|\n|c|d|",
  "\u2028x\u0000y\u0085",
  "\\*x\\*",
  "![a](/user_uploads/a.png)",
  "e\u0301**",
  ...hostileFragments,
];

/** A notice with every kind of part, about things with the given name. */
function about(name: string): Notice {
  return notice(
    paragraph`${silentUser({ id: 5, fullName: name })} & ${silentGroup({ id: 21, name })} in ${channelLink({ id: 9, name })}.`,
    paragraph`See ${messageLink({ id: 9, name }, name, "general chat", 214)} and ${directMessageLink("this", [5, 9], 7)}.`,
    paragraph`Channel ${emphasised(name)}, ${moment(1_709_823_600)}. ${quoted(name)}`,
    paragraph`${verbatim(name)} ${topicLink({ id: 9, name }, name, "general chat")}`,
    bulletList([verbatim(name), verbatim("second")]),
  );
}

/** The sample organization with everything renamed to the given name. */
function known(name: string): Lookups {
  const key = name.toLowerCase();
  const group = { id: 21, name, displayName: name, deactivated: false, isSystemGroup: false };
  return {
    ...lookups,
    usersById: new Map([[5, { id: 5, fullName: name, isActive: true }]]),
    groupsByName: new Map([[key, [group]]]),
    channelsByName: new Map([[name, { id: 9, name }]]),
  };
}

const elements = (html: string): string[] =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/ href="[^"]*"/, ""));

describe("Notices of system bots", () => {
  it("render from their Markdown to their HTML if names are harmless", () => {
    for (const name of [
      "design review",
      "Ada",
      "Großer Übermut 2",
      "it's",
      "a_b-c, (d)!",
      "R&D/Ops +1",
    ]) {
      const { content, html } = about(name);
      expect(renderMessage(parseMessage(content), known(name)).html).to.equal(html);
    }
  });

  it("have the same elements for all names", () => {
    const harmless = elements(about("name").html);
    for (const name of hostileNames) {
      const { html } = about(name);
      expect(elements(html), name).to.deep.equal(harmless);
      expect(findFault(html), name).to.equal(undefined);
    }
  });

  it("contain names in their Markdown only as mentions, channel links or code", () => {
    const allowed =
      /^<(?:\/?(?:p|ul|li|code|strong|em)|\/(?:time|span|a)|time datetime="2024-03-07T15:00:00Z"|span class="user(?:-group)?-mention silent" data-user(?:-group)?-id="\d+"|a(?: class="message-link"| class="stream(?:-topic)?" data-stream-id="9")?)>$/;
    for (const name of hostileNames) {
      const { content } = about(name);
      for (const organization of [lookups, known(name)]) {
        const rendered = renderMessage(
          parseMessage(content, { translateEmoticons: true }),
          organization,
        );
        for (const tag of elements(rendered.html))
          expect(tag, `${name}: ${rendered.html}`).to.match(allowed);
        expect(rendered.html.split("<li>")).to.have.length(3);
        expect(rendered).to.deep.include({ mentionedUserIds: [], channelWildcard: false });
        for (const [, href] of rendered.html.matchAll(/ href="([^"]*)"/g))
          expect(href, name).to.match(/^\/#narrow\/(channel\/9-|dm\/5,9-dm\/)/);
      }
    }
  });
});
