import { errors } from "@carillon/contract";
import * as z from "zod";

import { link, linkTo, plain, plainLine, slack, topicText } from "../foreign-text.ts";
import { format, integration } from "../integration.ts";
import { joinedPieces } from "../pieces.ts";
import { listOf, maybeText } from "../shapes.ts";

/** Blocks of one message, those of attachments included. */
const maxBlocks = 200;
/** Attachments of one message; Slack has the same limit. */
const maxAttachments = 100;

const textObject = z.object({ type: z.string(), text: z.string() });
type TextObject = z.output<typeof textObject>;

const image = z.object({
  image_url: maybeText,
  alt_text: maybeText,
  title: z.union([z.string(), textObject]).nullish(),
});

/** A block; `elements` are those of a context. */
const block = z.object({
  type: z.string(),
  text: z.union([z.string(), textObject]).nullish(),
  fields: listOf(textObject, maxBlocks).nullish(),
  accessory: image.extend({ type: z.string() }).nullish(),
  elements: z.array(z.unknown()).nullish(),
  ...image.shape,
});
type Block = z.output<typeof block>;

const blocks = listOf(block, maxBlocks);

const contextElement = image.extend({ type: z.string(), text: maybeText });

const field = z.object({ title: maybeText, value: z.union([z.string(), z.number()]).nullish() });

const attachment = z.object({
  title: maybeText,
  title_link: maybeText,
  pretext: maybeText,
  text: maybeText,
  fields: listOf(field, maxBlocks).nullish(),
  blocks: blocks.nullish(),
  image_url: maybeText,
  footer: maybeText,
  ts: z.union([z.string(), z.number()]).nullish(),
});
type Attachment = z.output<typeof attachment>;

const shape = z.object({
  text: maybeText,
  channel: maybeText,
  icon_emoji: maybeText,
  blocks: blocks.nullish(),
  attachments: listOf(attachment, maxAttachments).nullish(),
});

/** Messages in the format of incoming webhooks of Slack (bot-platform.md §1.4). */
export default integration({
  name: "slack_incoming",
  label: "SlackIncoming",
  events: [],
  // Alertmanager and Grafana repeat a request whose answer is JSON without it.
  answer: { ok: true },
  formats: {
    payload: format(shape, (payload) => {
      const { channel, blocks: own, attachments } = payload;
      const all = [own, ...(attachments ?? []).map((one) => one.blocks)];
      if (all.reduce((sum, list) => sum + (list?.length ?? 0), 0) > maxBlocks)
        throw errors.badRequest(`A message has at most ${maxBlocks} blocks`);
      const content = joinedPieces(piecesOf(payload));
      const topic = topicText((channel ?? "").replace(/^[#@]/, ""));
      return content === "" ? [] : [{ topic: topic || "(no topic)", content }];
    }),
  },
});

function* piecesOf(payload: z.output<typeof shape>): Iterable<string> {
  const { text, icon_emoji: icon, blocks: own, attachments } = payload;
  if (own && own.length > 0) for (const one of own) yield* blockPieces(one);
  else {
    const translated = slack(text ?? "");
    yield icon && translated !== "" ? `${plain(icon)} ${translated}` : translated;
  }
  for (const one of attachments ?? []) yield* attachmentPieces(one);
}

function* blockPieces(one: Block): Iterable<string> {
  switch (one.type) {
    case "header": {
      const text = plain(bare(one.text));
      if (text !== "") yield `## ${text}`;
      return;
    }
    case "section":
      if (one.text != null) yield formatted(one.text);
      yield fieldTable(one.fields ?? []);
      if (one.accessory?.type === "image") yield imageLink(one.accessory);
      return;
    case "context":
      for (const element of (one.elements ?? []).slice(0, maxBlocks)) yield contextPiece(element);
      return;
    case "divider":
      yield "---";
      return;
    case "image":
      yield imageLink(one);
      return;
  }
}

function contextPiece(element: unknown): string {
  const { success, data } = contextElement.safeParse(element);
  if (!success) return "";
  if (data.type === "image") return imageLink(data);
  return data.text == null ? "" : formatted({ type: data.type, text: data.text });
}

/** Returns one field as it is, several as a table with two columns. */
function fieldTable(fields: readonly TextObject[]): string {
  const [first] = fields;
  if (!first) return "";
  if (fields.length === 1) return formatted(first);
  const cells = fields.map((one) => formatted(one).replaceAll(/[|\n]/g, " "));
  const rows = cells.flatMap((cell, at) =>
    at % 2 === 0 ? [`| ${cell} | ${cells[at + 1] ?? ""} |`] : [],
  );
  return ["| | |", "|-|-|", ...rows].join("\n");
}

function* attachmentPieces(one: Attachment): Iterable<string> {
  if (one.title) yield `## ${link(one.title, one.title_link)}`;
  yield slack(one.pretext ?? "");
  yield slack(one.text ?? "");
  yield (one.fields ?? [])
    .map(({ title, value }) => {
      const shown = value == null ? "" : slack(String(value));
      if (!title) return shown;
      return shown === "" ? `**${plain(title)}**` : `**${plain(title)}**: ${shown}`;
    })
    .filter((line) => line !== "")
    .join("\n");
  for (const inner of one.blocks ?? []) yield* blockPieces(inner);
  if (one.image_url) yield link(one.title || "image", one.image_url);
  yield plainLine(one.footer ?? "");
  const ts = String(one.ts ?? "");
  if (/^\d{1,12}(?:\.\d+)?$/.test(ts)) yield `<time:${ts}>`;
}

function imageLink({ title, alt_text: alt, image_url: url }: z.output<typeof image>): string {
  return linkTo(plain(bare(title) || alt || "image"), url);
}

/** Returns a text in our Markdown: `plain_text` shows its characters, `mrkdwn` is markup. */
function formatted(text: string | TextObject): string {
  if (typeof text === "string") return slack(text);
  return text.type === "plain_text" ? plainLine(text.text) : slack(text.text);
}

function bare(text: string | TextObject | null | undefined): string {
  return (typeof text === "string" ? text : text?.text) ?? "";
}
