import * as z from "zod";

import { type Block, type Inline, plain, type Style } from "../markup/document.ts";
import {
  linkChannel,
  mentionEverybody,
  mentionUser,
  showEmoji,
  showTime,
  type SlackNames,
} from "./references.ts";

const style = z
  .looseObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
  })
  .optional();

/** A piece of rich text; which members it has depends on the type. */
const element = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  user_id: z.string().optional(),
  usergroup_id: z.string().optional(),
  channel_id: z.string().optional(),
  range: z.string().optional(),
  name: z.string().optional(),
  unicode: z.string().optional(),
  timestamp: z.number().optional(),
  fallback: z.string().optional(),
  value: z.string().optional(),
  style,
});
type Element = z.infer<typeof element>;

const part = z.looseObject({
  type: z.string(),
  style: z.unknown().optional(),
  indent: z.number().optional(),
  offset: z.number().optional(),
  elements: z.array(z.unknown()).max(10_000).default([]),
});

/** Parses the elements of a block of type `rich_text`. What it does not know is left out. */
export function parseRichText(elements: readonly unknown[], names: SlackNames): Block[] {
  return elements.flatMap((one): Block[] => {
    const parsed = part.safeParse(one);
    if (!parsed.success) return [];
    const { type, indent, offset } = parsed.data;
    const children = parsed.data.elements;
    switch (type) {
      case "rich_text_section":
        return [{ kind: "paragraph", inlines: parseElements(children, names) }];
      case "rich_text_quote":
        return [
          {
            kind: "quote",
            blocks: [{ kind: "paragraph", inlines: parseElements(children, names) }],
          },
        ];
      case "rich_text_preformatted":
        return [
          {
            kind: "code",
            text: parseElements(children, names)
              .map(({ text }) => text)
              .join(""),
          },
        ];
      case "rich_text_list":
        return [
          {
            kind: "list",
            ordered: parsed.data.style === "ordered",
            start: 1 + Math.min(Math.max(0, Math.trunc(offset ?? 0)), 1_000_000),
            depth: Math.min(Math.max(0, Math.trunc(indent ?? 0)), 8),
            items: children.map((child) => {
              const item = part.safeParse(child);
              return item.success ? parseElements(item.data.elements, names) : [];
            }),
          },
        ];
      default:
        return [];
    }
  });
}

function parseElements(elements: readonly unknown[], names: SlackNames): Inline[] {
  return elements.flatMap((one) => {
    const parsed = element.safeParse(one);
    return parsed.success ? [parseElement(parsed.data, names)] : [];
  });
}

function parseElement(piece: Element, names: SlackNames): Inline {
  const shown = styleOf(piece);
  switch (piece.type) {
    case "text":
      return piece.style?.code === true
        ? { kind: "code", text: piece.text ?? "", style: shown }
        : { kind: "text", text: piece.text ?? "", style: shown };
    case "link":
      return {
        kind: "link",
        url: piece.url ?? "",
        text: piece.text || (piece.url ?? ""),
        style: shown,
      };
    case "user":
      return mentionUser(names, piece.user_id ?? "", undefined);
    case "channel":
      return linkChannel(names, piece.channel_id ?? "", undefined);
    case "usergroup":
      return { kind: "text", text: `@${piece.usergroup_id ?? "group"}`, style: shown };
    case "broadcast":
      return mentionEverybody(piece.range ?? "channel");
    case "emoji":
      return showEmoji(piece.name ?? "", piece.unicode, shown);
    case "date":
      return showTime(piece.timestamp ?? NaN, piece.fallback ?? "");
    default:
      return {
        kind: "text",
        text: piece.text ?? piece.value ?? piece.fallback ?? "",
        style: shown,
      };
  }
}

function styleOf(piece: Element): Style {
  if (!piece.style) return plain;
  const { bold, italic, strike } = piece.style;
  return {
    ...(bold === true && { bold }),
    ...(italic === true && { italic }),
    ...(strike === true && { strike }),
  };
}
