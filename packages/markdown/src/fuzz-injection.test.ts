import { oneOf, sequence } from "@carillon/testkit";
import { expect } from "chai";
import { emojiNames } from "./emoji/names.ts";
import { hostileFragments } from "./hostile-fragments.test.ts";
import { attribute, readHtml } from "./html-tree.test.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { lookups, render } from "./sample-organization.test.ts";

/** Some that linkifiers match. */
const pieces = [...hostileFragments, " TK-1", "TK-2 ", " run ", " now ", ' run <b>*" now'];

/** More of them for a longer search: `CARILLON_FUZZ_CASES=1000000`, others with `CARILLON_FUZZ_SEED`. */
const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 1_200);
const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 496);

const tex = ["$$x$$", "$$\\frac{1}{2}$$", "$$\\color{red}{x}$$", "$$", "```math\nx^2\n```\n"];
const options = { translateEmoticons: true };

/** A word that stands nowhere else. */
const WORD = /wk\d+kw/g;

/** Any character: ASCII, controls, signs that turn the direction, halves of pairs. */
function anyCharacter(random: () => number): string {
  const below = oneOf(random, [0x80, 0x80, 0x300, 0x2100, 0x10000, 0x110000]);
  return String.fromCodePoint(Math.floor(random() * below));
}

/** What a word may stand in. */
const around = [
  ["[", "](/a)"],
  ["[", "](https://x.org) "],
  ["**", "**"],
  [" *", "*"],
  ["~~", "~~"],
  ["`", "`"],
  [" #**name>", "**"],
  [" $$", "$$"],
  [" @**", "**"],
  ["\n> ", "\n"],
  ["\n* ", "\n"],
  ["\n# ", "\n"],
  ["\n```quote\n", "\n```\n"],
  ["\n```py\n", "\n```\n"],
  ["\n```spoiler ", "\n```\n"],
] as const;

/** Pieces with words between them that can be found again. */
function someText(random: () => number): string {
  const piece = (n: number): string => {
    const kind = random();
    if (kind < 0.3) return ` wk${n}kw`;
    if (kind < 0.35) return `wk${n}kw`;
    if (kind < 0.4) {
      const [before, after] = oneOf(random, around);
      return `${before}wk${n}kw${after}`;
    }
    if (kind < 0.48) return anyCharacter(random);
    return kind < 0.5 ? oneOf(random, tex) : oneOf(random, pieces);
  };
  return Array.from({ length: 2 + Math.floor(random() * 24) }, (_, n) => piece(n)).join("");
}

/** Where Markdown shows no word: what follows the language of a fence, titles of links, cells beyond a table's width. */
function mayBeDropped(text: string, word: string): boolean {
  const before = text.slice(0, text.indexOf(word));
  const line = text.slice(before.lastIndexOf("\n") + 1).split("\n", 1)[0] ?? "";
  return /\]\([^)]*$|\]\([^\n]*["'<(]/.test(before) || /```|~~~|\|/.test(line);
}

/** The text with its entities read. */
function read(text: string): string {
  return text.replace(/&#?\w+;/g, (entity) => readHtml(entity).texts.join(""));
}

function fail(text: string, what: string): never {
  return expect.fail(`${what}; seed ${seed}, text: ${JSON.stringify(text)}`);
}

describe("The renderer, whatever the text is made of", () => {
  const random = sequence(seed);
  const texts = Array.from({ length: cases }, () => someText(random));

  it("emits what browsers read without an error, and only what is allowed", () => {
    for (const text of texts) {
      const { faults } = readHtml(render(text, options).html);
      if (faults.length > 0) fail(text, faults.join(", "));
    }
  });

  it("renders twice the same, and tells what the HTML does", () => {
    for (const text of texts) {
      const parsed = parseMessage(text, options);
      const rendered = renderMessage(parsed, lookups);
      expect(renderMessage(parsed, lookups), text).to.deep.equal(rendered);
      expect(render(text, options), text).to.deep.equal(rendered);
      const { elements } = readHtml(rendered.html);
      const loud = elements.filter((one) => !/\bsilent$/.test(attribute(one, "class")));
      const named = (name: string): number[] => [
        ...new Set(loud.map((one) => Number(attribute(one, name))).filter((id) => id > 0)),
      ];
      const has = (name: string, value: RegExp): boolean =>
        loud.some((one) => value.test(attribute(one, name)));
      expect(
        {
          users: named("data-user-id"),
          groups: named("data-user-group-id"),
          channel: has("data-user-id", /^\*$/),
          topic: has("class", /^topic-mention$/),
          link: elements.some((one) => one.tagName === "a" && attribute(one, "class") === ""),
          attachment: has("href", /^\/?user_uploads\//),
        },
        text,
      ).to.deep.equal({
        users: rendered.mentionedUserIds,
        groups: rendered.mentionedGroupIds,
        channel: rendered.channelWildcard,
        topic: rendered.topicWildcard,
        link: rendered.hasLink,
        attachment: rendered.hasAttachment,
      });
    }
  });

  it("loses none of the text and keeps its order", () => {
    for (const text of texts) {
      const { texts: shown, everything } = readHtml(render(text, options).html);
      const found = new Set(everything.match(WORD));
      for (const word of text.match(WORD) ?? [])
        if (!found.has(word) && !mayBeDropped(text, word)) fail(text, `${word} is lost`);
      const numbers = (shown.join("").match(WORD) ?? []).map((word) => Number(word.slice(2, -2)));
      if (numbers.some((n, i) => n <= (numbers[i - 1] ?? -1)))
        fail(text, `order ${numbers.join(" ")}`);
    }
  });

  it("shows no word that the text does not have, but for names", () => {
    const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const known = new Set(
      words("general chat topic all everyone channel stream backend administrators party parrot"),
    );
    for (const { fullName } of lookups.usersById.values())
      for (const word of words(fullName)) known.add(word);
    for (const name of emojiNames.keys()) for (const word of words(name)) known.add(word);
    for (const text of texts) {
      // Markup between two words may be gone, and entities are read.
      const written = [text, read(text)].map((source) => words(source).join(""));
      for (const word of words(readHtml(render(text, options).html).texts.join("\n")))
        if (!known.has(word) && !written.some((source) => source.includes(word)))
          fail(text, `${word} comes from nowhere`);
    }
  });
});
