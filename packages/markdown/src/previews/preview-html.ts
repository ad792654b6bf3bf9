import { escapeAttribute } from "../escape.ts";
import type { LinkedFile, MadeImage } from "../types.ts";

/** The picture that is shown until the thumbnails of an image have been made. */
export const loaderUrl = "/static/images/loading/loader-black.svg";

/** Names of the thumbnails that messages show (files.md §5). */
const still = "840x560.webp";
const animated = "840x560-anim.webp";

/** Types whose previews are players. Browsers play QuickTime with the codecs of MP4. */
const videoTypes: ReadonlySet<string> = new Set(["video/mp4", "video/webm", "video/quicktime"]);
const audioTypes: ReadonlySet<string> = new Set(
  ["aac", "flac", "mpeg", "wav", "x-wav", "vnd.wave"].map((kind) => `audio/${kind}`),
);

export function isAudio({ mediaType }: LinkedFile): boolean {
  return audioTypes.has(mediaType);
}

/** Returns whether a link to the file gets a preview. */
export function isPreviewable({ mediaType, image }: LinkedFile): boolean {
  return image !== undefined || videoTypes.has(mediaType);
}

/**
 * Writes attributes and leaves out those without a value. The caller lists them in the order of their names (rendering.md
 * §1).
 */
export function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
    .join("");
}

/** Returns the preview of a link to an image or a video. @param title undefined if the link shows its URL */
export function previewHtml(path: string, file: LinkedFile, title: string | undefined): string {
  const href = uploadUrl(path);
  const open = `<a${attributes({ href, title })}>`;
  if (file.image !== undefined)
    return `<div class="message_inline_image">${open}${thumbnailHtml(path, file.mediaType, file.image)}</a></div>`;
  const video = `<video${attributes({ preload: "metadata", src: href })}></video>`;
  return `<div class="message_inline_image message_inline_video">${open}${video}</a></div>`;
}

function thumbnailHtml(path: string, mediaType: string, image: MadeImage | "pending"): string {
  const attrs =
    image === "pending"
      ? {
          class: "image-loading-placeholder",
          "data-original-content-type": mediaType,
          src: loaderUrl,
        }
      : {
          "data-animated": image.isAnimated ? "true" : undefined,
          "data-original-content-type": mediaType,
          "data-original-dimensions": dimensions(image),
          "data-transcoded-image": image.transcoded,
          src: thumbnailUrl(path, image),
        };
  return `<img${attributes(attrs)}>`;
}

/** Returns the image of `![alt](…)`. */
export function inlineImageHtml(
  path: string,
  mediaType: string,
  image: MadeImage | "pending",
  alt: string,
): string {
  const source = { "data-original-content-type": mediaType };
  const original = { "data-original-src": uploadUrl(path) };
  const attrs =
    image === "pending"
      ? {
          alt,
          class: "inline-image image-loading-placeholder",
          ...source,
          ...original,
          src: loaderUrl,
        }
      : {
          alt,
          class: "inline-image",
          "data-animated": image.isAnimated ? "true" : undefined,
          ...source,
          "data-original-dimensions": dimensions(image),
          ...original,
          "data-transcoded-image": image.transcoded,
          src: thumbnailUrl(path, image),
        };
  return `<img${attributes(attrs)}>`;
}

export function audioHtml(path: string, title: string): string {
  return `<audio controls${attributes({ preload: "metadata", src: uploadUrl(path), title })}></audio>`;
}

export function uploadUrl(path: string): string {
  return `/user_uploads/${path}`;
}

function dimensions({ width, height }: MadeImage): string {
  return `${width}x${height}`;
}

function thumbnailUrl(path: string, { isAnimated }: MadeImage): string {
  return `/user_uploads/thumbnail/${path}/${isAnimated ? animated : still}`;
}
