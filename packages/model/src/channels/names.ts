import { bounds, errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { renderDescription, RenderLimitError } from "@carillon/markdown";

/** Code points that a channel's name may have (`max_stream_name_length`). */
export const maxChannelNameLength = 60;
/** Code points that a description may have (`max_stream_description_length`). */
export const maxDescriptionLength = 1024;

/** Control characters, surrogates that are no pair, and code points that are none of Unicode's characters. */
const unprintable = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** Whether the text may be a name (channels.md §4.4). */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text);
}

/**
 * The name as it is stored: trimmed (channels.md §4.4).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkChannelName(text: string): string {
  const name = text.trim();
  if (name === "") throw errors.badRequest("The name of a channel must not be blank");
  if (isLongerThan(name, maxChannelNameLength))
    throw errors.badRequest(
      `The name of a channel must not have more than ${maxChannelNameLength} characters`,
    );
  if (!isPrintable(name))
    throw errors.badRequest("The name of a channel must have printable characters only");
  return name;
}

/**
 * The description as it is stored: on one line.
 * @throws ApiError `BAD_REQUEST` when it is too long
 */
export function checkDescription(text: string): string {
  if (isLongerThan(text, maxDescriptionLength))
    throw errors.badRequest(
      `description must not have more than ${maxDescriptionLength} characters`,
    );
  return text.replaceAll(/\r\n|[\r\n]/g, " ");
}

/**
 * HTML of a description.
 * @throws ApiError `BAD_REQUEST` when it is larger than `bounds.descriptionHtml`
 */
export function renderChannelDescription(description: string): string {
  const html = htmlOf(description);
  if (html === undefined || html.length > bounds.descriptionHtml)
    throw errors.badRequest(
      `description must not have more than ${bounds.descriptionHtml} characters of HTML when rendered: make it shorter`,
    );
  return html;
}

/** @returns undefined for HTML that is too large for a message too */
function htmlOf(description: string): string | undefined {
  try {
    return renderDescription(description, bounds.descriptionMarkup);
  } catch (error) {
    if (error instanceof RenderLimitError) return undefined;
    throw error;
  }
}

/** What new subscriptions are painted with, in this order: exactly `#` and six lower-case hex digits. */
export const palette: readonly string[] = [
  "#2f8fc4",
  "#d2691e",
  "#3da35d",
  "#a45ee5",
  "#d64545",
  "#e0a800",
  "#1fa7a0",
  "#c2559d",
  "#6b7fd7",
  "#7a9e2e",
  "#8c6d46",
  "#e3735e",
  "#4c6b8a",
  "#b58900",
  "#5fb3d9",
  "#96568b",
  "#57806a",
  "#cf9fe0",
  "#9bbf5c",
  "#e59b6d",
  "#7d8597",
  "#b0413e",
  "#57a0a8",
  "#d9a3b5",
];

/** A colour as clients store it, or undefined for a text that is none. */
export function normaliseColor(text: string): string | undefined {
  const color = text.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : undefined;
}
