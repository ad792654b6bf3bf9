import {
  cutTo,
  firstCodePoints,
  invisibleCharacter,
  isLongerThan,
  withoutInvisible,
} from "@carillon/kit";

/**
 * Texts of other systems in our Markdown (bot-platform.md §1.3): none of them mentions anybody, and only `quote` and
 * `slack` contain markup. Each function is linear in the length of its text.
 */

/** Maximum code points of a name or a title. */
const maxPlain = 200;
/** Maximum code points of a quoted text. */
const maxQuote = 4_000;
/** Maximum characters of a link's target. */
const maxUrl = 2_000;
/** Maximum code points of a text of Slack, which has the same limit. */
const maxSlack = 40_000;

const cutMark = "…";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "`": "&#96;",
  "*": "&#42;",
  "[": "&#91;",
  "]": "&#93;",
  $: "&#36;",
  "~": "&#126;",
  "|": "&#124;",
  "#": "&#35;",
  "-": "&#45;",
  "+": "&#43;",
};

/** Characters that act as markup anywhere; three more do at the beginning of a line. */
const active = /[&<>`*[\]$~|]|^[#\-+]/g;

const blanks = /[\s\p{Cc}\u2028\u2029]+/gu;

/** Returns the text on one line: control characters and white space become single spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(blanks, " ").trim();
}

/** Returns a name or a title as Markdown that shows it unchanged, on one line of at most 200 characters. */
export function plain(text: string): string {
  // Cut first, because the text may have megabytes and only its beginning is shown.
  const line = cutTo(oneLine(text.slice(0, 100 * maxPlain)), maxPlain, cutMark);
  return line.replaceAll(active, (character) => entities[character] ?? character);
}

/** Returns `plain` for the beginning of a line, where a number with a dot would begin a list. */
export function plainLine(text: string): string {
  return plain(text).replace(/^(\d{1,9})\./, "$1&#46;");
}

/** Returns a part of a topic. Topics are not Markdown. */
export function topicText(text: string): string {
  const line = oneLine(text.slice(0, 100 * maxPlain)).replaceAll(
    /[\p{Cs}\p{Noncharacter_Code_Point}]/gu,
    "\ufffd",
  );
  return invisibleCharacter(line) === undefined ? line : withoutInvisible(line).trim();
}

/** Returns a link, or only its text if the URL is not one of the web or is longer than 2,000 characters. */
export function link(text: string, url: string | null | undefined): string {
  return linkTo(plain(text), url);
}

/** Returns `link` for a text that is Markdown already. */
export function linkTo(label: string, url: string | null | undefined): string {
  const target = targetOf(url);
  return target === undefined ? label : `[${label}](${target})`;
}

/** Characters that the URL standard keeps, and that end a target or a cell of a table, begin code, or escape others. */
const activeInTarget = /[()`|\\]|@(?=[*_])/g;

/** Returns the URL as the URL standard prints it; undefined if it must not be linked. */
function targetOf(url: string | null | undefined): string | undefined {
  if (!url || url.length > maxUrl || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const target = href.replaceAll(activeInTarget, percentEncoded);
  return target.length > maxUrl ? undefined : target;
}

/** Characters that act as markup in a URL without link syntax. */
const activeInUrl = /[*$~[\]@]/g;

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Returns a URL without link syntax, which becomes a link.
 * @param next the character after it; most characters would become a part of the URL
 */
function bareUrl(url: string, next: string): string {
  const target = targetOf(url)?.replaceAll(activeInUrl, percentEncoded);
  if (target === undefined) return plain(url);
  return /^[\s.,;:!?]?$/.test(next) ? target : `${target} `;
}

/**
 * Returns Markdown that people wrote, such as a description, as a quote after a blank line; `""` for a blank text. It
 * must end the message: an open code block in the text reaches to the end. Mentions in it are silent (rendering.md §4).
 */
export function quote(text: string | null | undefined): string {
  const whole = (text ?? "")
    .slice(0, 10 * maxQuote)
    .replaceAll("\r", "")
    .trim();
  if (whole === "") return "";
  const cut = isLongerThan(whole, maxQuote) ? firstCodePoints(whole, maxQuote) + cutMark : whole;
  return `\n\n${codeBlock("quote", cut)}`;
}

/** Returns a text between fences that it does not contain: a code block, or a quote. */
export function codeBlock(language: string, text: string): string {
  const taken = new Set((text.match(/`{3,}/g) ?? []).map((run) => run.length));
  let length = 3;
  while (taken.has(length)) length++;
  const fence = "`".repeat(length);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Makes the wildcard mentions in Markdown that another system composed ineffective. */
export function withoutWildcards(markdown: string): string {
  return markdown.replaceAll(/@(?=\*\*(?:all|everyone|channel|stream|topic)\*\*)/g, "&#64;");
}

/** Placeholder of a finished part while the marks around it are translated. Control characters were removed before. */
const hole = "\u0001";

/** Code, and what Slack writes between angle brackets. */
const tokens = /```([^]*?)```|`([^`\n]+)`|<([^<>\n]*)>/g;

/** Returns a text in the markup of Slack as our Markdown. */
export function slack(text: string): string {
  const clean = cutTo(text.slice(0, 2 * maxSlack + 2), maxSlack, cutMark)
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(/[^\P{Cc}\n]/gu, " ");
  const parts: string[] = [];
  const withHoles = clean.replaceAll(
    tokens,
    (
      whole: string,
      block: string | undefined,
      code: string | undefined,
      inner: string | undefined,
      at: number,
    ) => {
      const part =
        block !== undefined
          ? slackBlock(block)
          : code !== undefined
            ? `\`${decoded(code)}\``
            : slackReference(inner ?? "", clean.charAt(at + whole.length));
      if (part === undefined) return whole;
      parts.push(part);
      return hole;
    },
  );
  let next = 0;
  return slackMarks(withHoles)
    .replaceAll(hole, () => parts[next++] ?? "")
    .trim();
}

const word = String.raw`\p{L}\p{N}`;
const bold = emphasis("*", word);
const italic = emphasis("_", word);
const struck = emphasis("~", word);

/** Translates emphasis, and escapes mentions, code marks and angle brackets, in a text without references. */
function slackMarks(text: string): string {
  return text
    .replaceAll(/@(?=[*_])/g, "&#64;")
    .replaceAll("`", "&#96;")
    .replaceAll("<", "&lt;")
    .replaceAll(bold, "**$1**")
    .replaceAll(italic, "*$1*")
    .replaceAll(struck, "~~$1~~")
    .replaceAll(/^•/gm, "*");
}

/** Matches a text between two marks: no word character outside of them, no white space inside. */
function emphasis(mark: string, word: string): RegExp {
  return new RegExp(
    `(?<![${word}${mark}])[${mark}](?![\\s${mark}])([^${mark}\\n]+)(?<!\\s)[${mark}](?![${word}${mark}])`,
    "gu",
  );
}

/** Returns a code block. Our Markdown, unlike Slack's, requires its fences on separate lines. */
function slackBlock(text: string): string {
  const code = decoded(text);
  if (!code.includes("\n")) return `\`\`\`${code}\`\`\``;
  return `\n\`\`\`\n${code.replace(/^\n|\n$/g, "")}\n\`\`\`\n`;
}

/**
 * Translates a reference between angle brackets. Returns undefined if the text is not a reference.
 * @param next the character after the brackets
 */
function slackReference(inner: string, next: string): string | undefined {
  const bar = inner.indexOf("|");
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? "" : decoded(inner.slice(bar + 1)).trim();
  if (/^https?:/i.test(target))
    return label === "" ? bareUrl(decoded(target), next) : link(label, decoded(target));
  const scheme = /^(?:mailto|tel):(.*)$/is.exec(target);
  if (scheme) return plain(label || decoded(scheme[1] ?? ""));
  const [, sign = "", id = ""] = /^([@#])([A-Z0-9]+)$/.exec(target) ?? [];
  if (id !== "") return sign + (plain(label.replace(/^[@#]+/, "")) || id);
  const [, command = "", argument = ""] = /^!(\w+)(?:\^([^^]*).*)?$/.exec(target) ?? [];
  switch (command) {
    case "here":
    case "channel":
    case "everyone":
      return `@${command}`;
    case "subteam":
      return plain(label || `@${argument}`);
    case "date":
      return /^\d{1,12}$/.test(argument) ? `<time:${argument}>` : plain(label);
    default:
      return undefined;
  }
}

/** Decodes the three entities of Slack. */
function decoded(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
