import { bounds, errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { renderDescription, RenderLimitError } from "@carillon/markdown";

/** Maximum code points of a channel's name (`max_stream_name_length`). */
export const maxChannelNameLength = 60;
/** Maximum code points of a description (`max_stream_description_length`). */
export const maxDescriptionLength = 1024;

/** Control characters, unpaired surrogates, and noncharacters of Unicode. */
const unprintable = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** Whether all characters are allowed in a name (channels.md §4.4). */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text);
}

/**
 * Trims and checks the name of a channel (channels.md §4.4).
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
 * Checks a description and puts it on one line, as it is stored.
 * @throws ApiError `BAD_REQUEST` if it is too long
 */
export function checkDescription(text: string): string {
  if (isLongerThan(text, maxDescriptionLength))
    throw errors.badRequest(
      `description must not have more than ${maxDescriptionLength} characters`,
    );
  return text.replaceAll(/\r\n|[\r\n]/g, " ");
}

/**
 * Renders a description to HTML.
 * @throws ApiError `BAD_REQUEST` if it is larger than `bounds.descriptionHtml`
 */
export function renderChannelDescription(description: string): string {
  const html = htmlOf(description);
  if (html === undefined || html.length > bounds.descriptionHtml)
    throw errors.badRequest(
      `description must not have more than ${bounds.descriptionHtml} characters of HTML when rendered: make it shorter`,
    );
  return html;
}

/** Renders a description; undefined if the HTML exceeds even a message's limit. */
function htmlOf(description: string): string | undefined {
  try {
    return renderDescription(description, bounds.descriptionMarkup);
  } catch (error) {
    if (error instanceof RenderLimitError) return undefined;
    throw error;
  }
}

/** Colours of new subscriptions, in the order of use: `#` and six lower-case hex digits. */
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

/** Returns a colour as it is stored; undefined for an invalid one. */
export function normaliseColor(text: string): string | undefined {
  const color = text.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : undefined;
}
