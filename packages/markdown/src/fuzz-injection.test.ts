import { oneOf, sequence } from "@carillon/testkit";
import { expect } from "chai";
import { emojiNames } from "./emoji/names.ts";
import { hostileFragments } from "./test-support/hostile-fragments.ts";
import { attribute, readHtml } from "./html-tree.test.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { lookups, render } from "./test-support/sample-organization.ts";

/** Texts that linkifiers match. */
const pieces = [...hostileFragments, " TK-1", "TK-2 ", " run ", " now ", ' run <b>*" now'];

/** Number of cases; `CARILLON_FUZZ_CASES=1000000` runs a longer search, `CARILLON_FUZZ_SEED` other cases. */
const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 1_200);
const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 496);

const tex = ["$$x$$", "$$\\frac{1}{2}$$", "$$\\color{red}{x}$$", "$$", "```math\nx^2\n```\n"];
const options = { translateEmoticons: true };

/** A word that occurs nowhere else. */
const WORD = /wk\d+kw/g;

/** Any character: ASCII, controls, direction marks, unpaired surrogates. */
function anyCharacter(random: () => number): string {
  const below = oneOf(random, [0x80, 0x80, 0x300, 0x2100, 0x10000, 0x110000]);
  return String.fromCodePoint(Math.floor(random() * below));
}

/** Markup that may surround a word. */
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

/** Fragments with unique words between them. */
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

/** Places where Markdown hides words: after a fence's language, in link titles, in cells beyond a table's width. */
function canBeDropped(text: string, word: string): boolean {
  const before = text.slice(0, text.indexOf(word));
  const line = text.slice(before.lastIndexOf("\n") + 1).split("\n", 1)[0] ?? "";
  return /\]\([^)]*$|\]\([^\n]*["'<(]/.test(before) || /```|~~~|\|/.test(line);
}

/** The text with its entities decoded. */
function read(text: string): string {
  return text.replace(/&#?\w+;/g, (entity) => readHtml(entity).texts.join(""));
}

function fail(text: string, what: string): never {
  return expect.fail(`${what}; seed ${seed}, text: ${JSON.stringify(text)}`);
}

describe("The renderer, for random texts", () => {
  const random = sequence(seed);
  const texts = Array.from({ length: cases }, () => someText(random));

  it("emits HTML without parse errors and with allowed markup only", () => {
    for (const text of texts) {
      const { faults } = readHtml(render(text, options).html);
      if (faults.length > 0) fail(text, faults.join(", "));
    }
  });

  it("renders the same twice, and reports what the HTML contains", () => {
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

  it("keeps all words of the text in order", () => {
    for (const text of texts) {
      const { texts: shown, everything } = readHtml(render(text, options).html);
      const found = new Set(everything.match(WORD));
      for (const word of text.match(WORD) ?? [])
        if (!found.has(word) && !canBeDropped(text, word)) fail(text, `${word} is lost`);
      const numbers = (shown.join("").match(WORD) ?? []).map((word) => Number(word.slice(2, -2)));
      if (numbers.some((n, i) => n <= (numbers[i - 1] ?? -1)))
        fail(text, `order ${numbers.join(" ")}`);
    }
  });

  it("shows no words that are not in the text, except names", () => {
    const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const known = new Set(
      words("general chat topic all everyone channel stream backend administrators party parrot"),
    );
    for (const { fullName } of lookups.usersById.values())
      for (const word of words(fullName)) known.add(word);
    for (const name of emojiNames.keys()) for (const word of words(name)) known.add(word);
    for (const text of texts) {
      // Markup between two words may disappear, and entities are decoded.
      const written = [text, read(text)].map((source) => words(source).join(""));
      for (const word of words(readHtml(render(text, options).html).texts.join("\n")))
        if (!known.has(word) && !written.some((source) => source.includes(word)))
          fail(text, `${word} comes from nowhere`);
    }
  });
});
