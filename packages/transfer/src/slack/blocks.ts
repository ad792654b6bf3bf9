import * as z from "zod";

import { type Block, type Inline, plain, textBlock } from "../markup/document.ts";
import { parseInlines, parseMrkdwn } from "./mrkdwn.ts";
import type { SlackNames } from "./references.ts";
import { parseRichText } from "./rich-text.ts";

const textObject = z.looseObject({ type: z.string().optional(), text: z.string() });

/** A block of Slack's Block Kit; which members it has depends on the type. */
const block = z.looseObject({
  type: z.string(),
  text: z.union([textObject, z.string()]).optional().catch(undefined),
  fields: z.array(textObject).max(100).optional().catch(undefined),
  elements: z.array(z.unknown()).max(10_000).optional().catch(undefined),
  title: z.union([textObject, z.string()]).optional().catch(undefined),
  image_url: z.string().optional().catch(undefined),
  alt_text: z.string().optional().catch(undefined),
  title_url: z.string().optional().catch(undefined),
  rows: z.array(z.array(z.unknown()).max(100)).max(1000).optional().catch(undefined),
});

/** Parses the blocks of a message. Buttons and other controls are left out. */
export function parseBlocks(blocks: readonly unknown[], names: SlackNames): Block[] {
  return blocks.flatMap((one): Block[] => {
    const parsed = block.safeParse(one);
    if (!parsed.success) return [];
    const { type, text, fields, elements, title, rows } = parsed.data;
    switch (type) {
      case "rich_text":
        return parseRichText(elements ?? [], names);
      case "section":
        return [
          ...parseText(text, names),
          ...(fields ?? []).flatMap((field) => parseText(field, names)),
        ];
      case "header":
        return [textBlock(plainOf(text), { bold: true })];
      case "markdown":
        return parseText(text, names);
      case "context":
        return [{ kind: "paragraph", inlines: contextLine(elements ?? [], names) }];
      case "image":
      case "video": {
        const url = parsed.data.image_url ?? parsed.data.title_url;
        const label = plainOf(title) || parsed.data.alt_text || "image";
        return url === undefined
          ? [textBlock(label)]
          : [{ kind: "paragraph", inlines: [{ kind: "link", url, text: label, style: plain }] }];
      }
      case "table":
        return [
          {
            kind: "table",
            rows: (rows ?? []).map((row) => row.map((cell) => cellOf(cell, names))),
          },
        ];
      default:
        return [];
    }
  });
}

function parseText(
  text: z.infer<typeof textObject> | string | undefined,
  names: SlackNames,
): Block[] {
  if (text === undefined) return [];
  if (typeof text === "string") return parseMrkdwn(text, names);
  return text.type === "plain_text" ? [textBlock(text.text)] : parseMrkdwn(text.text, names);
}

function plainOf(text: z.infer<typeof textObject> | string | undefined): string {
  return typeof text === "string" ? text : (text?.text ?? "");
}

function contextLine(elements: readonly unknown[], names: SlackNames): Inline[] {
  return elements.flatMap((one, index): Inline[] => {
    const parsed = textObject.safeParse(one);
    if (!parsed.success) return [];
    const space: Inline[] = index === 0 ? [] : [{ kind: "text", text: " ", style: plain }];
    const { type, text } = parsed.data;
    return [
      ...space,
      ...(type === "plain_text"
        ? [{ kind: "text" as const, text, style: plain }]
        : parseInlines(text, names)),
    ];
  });
}

function cellOf(cell: unknown, names: SlackNames): readonly Inline[] {
  const parsed = block.safeParse(cell);
  if (!parsed.success) return [];
  if (parsed.data.type === "rich_text")
    return parseRichText(parsed.data.elements ?? [], names).flatMap((one) =>
      one.kind === "paragraph" ? one.inlines : [],
    );
  return [{ kind: "text", text: plainOf(parsed.data.text), style: plain }];
}
