import { escapeText } from "../escape.ts";
import { uploadPath } from "../links/target.ts";
import type { MadeImage } from "../types.ts";
import { inlineImageHtml, loaderUrl, previewHtml, uploadUrl } from "./preview-html.ts";

/** HTML after the placeholders of a picture have been replaced. */
export interface MadeHtml {
  readonly html: string;
  /** Whether the HTML still shows an image or a preview. */
  readonly hasImage: boolean;
}

/**
 * Returns two strings that HTML contains if it has a placeholder of the picture, for searching.
 * @param path its `path_id`
 */
export function textsOfPlaceholder(path: string): [string, string] {
  return [`"${uploadUrl(path)}"`, `src="${loaderUrl}"`];
}

/**
 * Replaces the placeholders of a picture in HTML of `renderMessage`: by its thumbnail, or by links if it turned out not
 * to be a picture. If a preview had replaced a paragraph, the paragraph with the link is restored.
 * @param path `path_id` of the picture
 * @param image undefined if the file is not a picture
 * @returns undefined if there is no placeholder of the picture
 */
export function makePreviews(
  html: string,
  path: string,
  mediaType: string,
  image: MadeImage | undefined,
): MadeHtml | undefined {
  const { block, inline } = placeholders(path, mediaType);
  const withBlocks = html.replace(block, (_, before: string, title: string | undefined) => {
    if (image)
      return before + previewHtml(path, { mediaType, image }, title && decodeAttribute(title));
    const isReplaced = title === undefined && !hasLink(html, path);
    return isReplaced ? `${before}<p>${linkHtml(path, uploadUrl(path))}</p>` : "";
  });
  const made = withBlocks.replace(inline, (_, alt: string) =>
    image
      ? inlineImageHtml(path, mediaType, image, decodeAttribute(alt))
      : linkHtml(path, decodeAttribute(alt)),
  );
  return made === html ? undefined : { html: made, hasImage: anyImage.test(made) };
}

/** Matches a preview or an inline image. Text and attributes contain no `<` (rendering.md §1). */
const anyImage = /<(?:div class="message_inline_image[ "]|img alt="[^"]*" class="inline-image[ "])/;

function placeholders(path: string, mediaType: string) {
  const [url, type, loader] = [uploadUrl(path), mediaType, loaderUrl].map(quoted);
  return {
    block: new RegExp(
      `(\\n?)<div class="message_inline_image"><a href="${url}"(?: title="([^"]*)")?>` +
        `<img class="image-loading-placeholder" data-original-content-type="${type}" src="${loader}"></a></div>`,
      "g",
    ),
    inline: new RegExp(
      `<img alt="([^"]*)" class="inline-image image-loading-placeholder" data-original-content-type="${type}" ` +
        `data-original-src="${url}" src="${loader}">`,
      "g",
    ),
  };
}

/** Escapes a text for use in a regular expression. */
function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** Whether the HTML has a link to the file that is not its preview. */
function hasLink(html: string, path: string): boolean {
  for (const [, href = ""] of html.matchAll(/<a href="([^"]*)">(?!<img )/g))
    if (uploadPath(decodeAttribute(href)) === path) return true;
  return false;
}

function linkHtml(path: string, text: string): string {
  return `<a href="${uploadUrl(path)}">${escapeText(text)}</a>`;
}

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
};

/** Reverses `escapeAttribute`. */
function decodeAttribute(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => characters[entity] ?? entity);
}
