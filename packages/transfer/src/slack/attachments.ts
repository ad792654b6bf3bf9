import { type Block, type Inline, plain, textBlock } from "../markup/document.ts";
import { parseBlocks } from "./blocks.ts";
import { parseInlines, parseMrkdwn } from "./mrkdwn.ts";
import type { SlackNames } from "./references.ts";
import { slackAttachment, type SlackAttachment } from "./schemas.ts";

/** Parses the attachments of a message: quotes with a title, a text and fields. Previews of links are left out. */
export function parseAttachments(attachments: readonly unknown[], names: SlackNames): Block[] {
  return attachments.flatMap((one): Block[] => {
    const parsed = slackAttachment.safeParse(one);
    if (!parsed.success || isPreview(parsed.data)) return [];
    const attachment = parsed.data;
    const before = attachment.pretext ? parseMrkdwn(attachment.pretext, names) : [];
    const parts = attachment.blocks
      ? parseBlocks(attachment.blocks, names)
      : partsOf(attachment, names);
    const shown =
      parts.length > 0 ? parts : attachment.fallback ? [textBlock(attachment.fallback)] : [];
    return shown.length === 0 ? before : [...before, { kind: "quote", blocks: shown }];
  });
}

/** Whether Slack made the attachment from a link in the text: the server makes its own previews. */
function isPreview({ from_url, original_url, is_share, is_msg_unfurl }: SlackAttachment): boolean {
  return is_share !== true && is_msg_unfurl !== true && (from_url ?? original_url) !== undefined;
}

function partsOf(attachment: SlackAttachment, names: SlackNames): Block[] {
  const { author_name, title, title_link, text, fields, image_url, footer, from_url } = attachment;
  const blocks: Block[] = [];
  if (author_name) blocks.push(textBlock(author_name, { bold: true }));
  if (title)
    blocks.push(
      title_link
        ? {
            kind: "paragraph",
            inlines: [{ kind: "link", url: title_link, text: title, style: { bold: true } }],
          }
        : textBlock(title, { bold: true }),
    );
  if (text) blocks.push(...parseMrkdwn(text, names));
  for (const field of fields ?? []) {
    const inlines: Inline[] = [
      { kind: "text", text: field.title ? `${field.title}:` : "", style: { bold: true } },
      { kind: "text", text: field.title ? " " : "", style: plain },
      ...parseInlines(field.value ?? "", names),
    ];
    blocks.push({ kind: "paragraph", inlines });
  }
  if (image_url) blocks.push(linkBlock(image_url, title ?? "image"));
  if (from_url) blocks.push(linkBlock(from_url, from_url));
  if (footer) blocks.push(textBlock(footer, { italic: true }));
  return blocks;
}

function linkBlock(url: string, text: string): Block {
  return { kind: "paragraph", inlines: [{ kind: "link", url, text, style: plain }] };
}
