import { parseRuleWords, type RuleWords } from "./rule-words.ts";

/** A person as a command names them. */
export type PersonWords =
  | { readonly kind: "me" }
  | { readonly kind: "name"; readonly name: string; readonly id?: number }
  | { readonly kind: "address"; readonly address: string };

/** Where a message goes, as a command names it. */
export type WhereWords =
  | { readonly kind: "channel"; readonly name: string; readonly topic?: string }
  | { readonly kind: "people"; readonly people: readonly PersonWords[] };

/** A scheduled message or reminder, `12`, or a series, `s5`. */
export interface Reference {
  readonly kind: "message" | "series";
  readonly id: number;
}

/** Commands about one series. */
export type SeriesVerb = "skip" | "pause" | "resume" | "sendNow";

/** A command of the scheduling bot (once-and-again.md §5.1). */
export type Command =
  | {
      readonly kind: "send";
      readonly when: string;
      readonly where: WhereWords;
      readonly text: string;
    }
  | { readonly kind: "remind"; readonly when: string; readonly text: string }
  | {
      readonly kind: "every";
      readonly rule: RuleWords;
      readonly where: WhereWords;
      readonly text: string;
    }
  | { readonly kind: "move"; readonly reference: Reference; readonly when: string }
  | { readonly kind: "cancel"; readonly reference: Reference }
  | { readonly kind: SeriesVerb; readonly id: number }
  | { readonly kind: "choice"; readonly number: number }
  | { readonly kind: "list" | "help" };

/** A command of one kind. */
export type CommandOf<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/** The part of a command that is missing or cannot be read. */
export type Unclear =
  | "command"
  | "to"
  | "colon"
  | "where"
  | "text"
  | "when"
  | "rule"
  | "reference"
  | "series";

export type ParseResult =
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "unclear"; readonly lacks: Unclear };

/** Maximum length of the part of a command before its text, in UTF-16 units. */
const maxHeadLength = 1_000;
/** Maximum number of recipients of a message. */
const maxPeople = 100;

/**
 * Parses a message to the scheduling bot. Reads at most 1,000 characters before the text, in linear time. Ignores the letter
 * case of keywords.
 */
export function parseCommand(content: string): ParseResult {
  const trimmed = content.trim();
  if (/^\d{1,2}\.?$/.test(trimmed)) return command({ kind: "choice", number: parseInt(trimmed) });
  const [, word = "", rest = ""] = /^([a-z]{1,10})(?:[ \t]+(\S[^]*))?$/i.exec(trimmed) ?? [];
  switch (word.toLowerCase()) {
    case "help":
      return rest === "" ? command({ kind: "help" }) : unclear("command");
    case "list":
      return rest === "" ? command({ kind: "list" }) : unclear("command");
    case "send":
    case "schedule":
      return parseSend(rest);
    case "remind":
      return parseRemind(rest);
    case "every":
      return parseEvery(rest);
    case "move":
      return parseMove(rest);
    case "cancel":
    case "delete":
      return parseVerb("cancel", rest);
    case "skip":
      return parseVerb("skip", rest);
    case "pause":
      return parseVerb("pause", rest);
    case "resume":
      return parseVerb("resume", rest);
    default:
      return unclear("command");
  }
}

function parseSend(rest: string): ParseResult {
  const [, reference] = /^(\S{1,20})[ \t]+now$/i.exec(rest.slice(0, 50)) ?? [];
  if (reference !== undefined && rest.length <= 50) return parseVerb("sendNow", reference);
  const parts = splitAtTo(rest);
  if (!parts) return unclear("to");
  if (parts.before === "") return unclear("when");
  const place = parseWhere(parts.after);
  if (place.kind === "unclear") return place;
  const { where, text } = place;
  return command({ kind: "send", when: parts.before, where, text });
}

function parseRemind(rest: string): ParseResult {
  const [start = ""] = /^me[ \t]+/i.exec(rest) ?? [];
  if (start === "") return unclear("command");
  const phrase = rest.slice(start.length);
  const end = endOfHead(phrase);
  if (end === undefined) return unclear("colon");
  const [when, text] = [phrase.slice(0, end).trim(), phrase.slice(end + 1).trim()];
  if (when === "") return unclear("when");
  return text === "" ? unclear("text") : command({ kind: "remind", when, text });
}

function parseEvery(rest: string): ParseResult {
  const parts = splitAtTo(rest);
  if (!parts) return unclear("to");
  const rule = parseRuleWords(parts.before);
  if (!rule) return unclear("rule");
  const place = parseWhere(parts.after);
  if (place.kind === "unclear") return place;
  const { where, text } = place;
  return command({ kind: "every", rule, where, text });
}

function parseMove(rest: string): ParseResult {
  const [, id = "", when = ""] = /^(\S{1,20})[ \t]+to[ \t]+([^\n]{1,200})$/i.exec(rest) ?? [];
  const reference = parseReference(id);
  if (!reference) return unclear(when === "" ? "when" : "reference");
  return command({ kind: "move", reference, when: when.trim() });
}

function parseVerb(kind: SeriesVerb | "cancel", rest: string): ParseResult {
  const reference = parseReference(rest.trim());
  if (kind === "cancel") return reference ? command({ kind, reference }) : unclear("reference");
  return reference?.kind === "series" ? command({ kind, id: reference.id }) : unclear("series");
}

function parseReference(text: string): Reference | undefined {
  const [, series = "", digits] = /^(s?)(\d{1,15})$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return { kind: series === "" ? "message" : "series", id: Number(digits) };
}

/** Splits the first line at the `to` before a place. Times contain no `to`. */
function splitAtTo(text: string): { readonly before: string; readonly after: string } | undefined {
  const line = text.slice(0, Math.min(maxHeadLength, firstLineLength(text)));
  const found = /(?:^|[ \t])to[ \t]+(?=[#@]|me[ \t]*[,:]|[^\s,:]{1,100}@)/i.exec(line);
  if (!found) return undefined;
  return {
    before: text.slice(0, found.index).trim(),
    after: text.slice(found.index + found[0].length),
  };
}

type Place =
  | { readonly kind: "place"; readonly where: WhereWords; readonly text: string }
  | { readonly kind: "unclear"; readonly lacks: Unclear };

function parseWhere(text: string): Place {
  if (text.startsWith("#**")) return parseLinkedChannel(text);
  if (!text.startsWith("#")) return parsePeople(text);
  const end = endOfHead(text);
  if (end === undefined) return unclear("colon");
  return placeOf(channelOf(text.slice(1, end)), text.slice(end + 1));
}

/** Parses `#**channel>topic**:`, whose topic may contain a colon. */
function parseLinkedChannel(text: string): Place {
  const end = text.slice(0, maxHeadLength).indexOf("**", 3);
  if (end < 0) return unclear("where");
  const after = afterColon(text.slice(end + 2));
  if (after === undefined) return unclear("colon");
  return placeOf(channelOf(text.slice(3, end)), after);
}

function channelOf(text: string): WhereWords | undefined {
  const arrow = text.indexOf(">");
  const name = (arrow < 0 ? text : text.slice(0, arrow)).trim();
  if (name === "" || text.includes("\n")) return undefined;
  const topic = arrow < 0 ? undefined : text.slice(arrow + 1).trim();
  return topic === undefined ? { kind: "channel", name } : { kind: "channel", name, topic };
}

/** Parses people separated by commas. A name in `@**…**` may contain commas and colons. */
function parsePeople(text: string): Place {
  const people: PersonWords[] = [];
  let rest = text.slice(0, maxHeadLength);
  let position = 0;
  for (;;) {
    const found = /^[ \t]*(?:@\*\*([^*\n]{1,200})\*\*|([^\s,:*]{1,200}))[ \t]*(,|:(?=\s|$))/.exec(
      rest,
    );
    if (!found) return unclear(rest.includes(":") ? "where" : "colon");
    const [all, mention, plain, separator] = found;
    const person = mention === undefined ? plainPerson(plain ?? "") : mentionedPerson(mention);
    if (!person || people.push(person) > maxPeople) return unclear("where");
    rest = rest.slice(all.length);
    position += all.length;
    if (separator === ":") return placeOf({ kind: "people", people }, text.slice(position));
  }
}

function mentionedPerson(text: string): PersonWords | undefined {
  const [, name = "", id] = /^(.*?)(?:\|(\d{1,9}))?$/.exec(text) ?? [];
  if (name.trim() === "" && id === undefined) return undefined;
  return { kind: "name", name: name.trim(), ...(id !== undefined && { id: Number(id) }) };
}

function plainPerson(text: string): PersonWords | undefined {
  if (text.toLowerCase() === "me") return { kind: "me" };
  return text.includes("@", 1) ? { kind: "address", address: text } : undefined;
}

function placeOf(where: WhereWords | undefined, rest: string): Place {
  if (!where) return unclear("where");
  const text = rest.trim();
  return text === "" ? unclear("text") : { kind: "place", where, text };
}

/** Finds the colon that ends the part before the text: on the first line, followed by whitespace or the end of the line. */
function endOfHead(text: string): number | undefined {
  const line = text.slice(0, Math.min(maxHeadLength, firstLineLength(text)));
  const end = line.search(/:(?:\s|$)/);
  return end < 0 || (end === maxHeadLength - 1 && /\S/.test(text.charAt(maxHeadLength)))
    ? undefined
    : end;
}

function afterColon(text: string): string | undefined {
  const [colon] = /^[ \t]{0,20}:(?=\s|$)/.exec(text) ?? [];
  return colon === undefined ? undefined : text.slice(colon.length);
}

function firstLineLength(text: string): number {
  const end = text.indexOf("\n");
  return end < 0 ? text.length : end;
}

function command(parsed: Command): ParseResult {
  return { kind: "command", command: parsed };
}

function unclear(lacks: Unclear): { readonly kind: "unclear"; readonly lacks: Unclear } {
  return { kind: "unclear", lacks };
}
