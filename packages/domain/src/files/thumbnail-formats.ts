import type { ImageFacts, Rendition } from "@carillon/images";

/** Pixels of the box of a thumbnail in a message. */
const box = { width: 840, height: 560 };

/** Pixels of the box of the picture that replaces an original that browsers cannot show. */
const largeBox = { width: 4_032, height: 3_024 };

/** The section `server_thumbnail_formats` of the snapshot (files.md §5). */
export const thumbnailFormats = [true, false].map((animated) => ({
  name: thumbnailName(box, animated),
  max_width: box.width,
  max_height: box.height,
  format: "webp",
  animated,
}));

/** Returns the thumbnails to make of a picture. */
export function thumbnailsOf({ type, width, height, frames }: ImageFacts): Rendition[] {
  const made = [rendition(box, false)];
  if (frames > 1) made.push(rendition(box, true));
  if (type === "image/tiff") made.push(rendition(transcodedBox(width, height), false));
  return made;
}

/** Returns the name of the picture that browsers show in place of a TIFF (files.md §5). */
export function transcodedName(width: number, height: number): string {
  return thumbnailName(transcodedBox(width, height), false);
}

function transcodedBox(width: number, height: number): Box {
  return height > width ? { width: largeBox.height, height: largeBox.width } : largeBox;
}

interface Box {
  readonly width: number;
  readonly height: number;
}

function rendition({ width, height }: Box, animated: boolean): Rendition {
  const name = thumbnailName({ width, height }, animated);
  return { name, width, height, fit: "inside", format: "webp", animated };
}

function thumbnailName({ width, height }: Box, animated: boolean): string {
  return `${width}x${height}${animated ? "-anim" : ""}.webp`;
}

/** A name of a thumbnail, as clients ask for it. */
const wellFormed = /^(\d+)x\d+(-anim)?\.[a-z\d]+$/;

/** Distance to a thumbnail of the other kind, animated or not: more than any difference of widths. */
const otherKind = 1_000_000;

/**
 * Chooses the thumbnail of that name, else the closest one: animated as asked if there is one, then of the nearest width.
 * @returns undefined for a name that is not well-formed, or if there are no thumbnails
 */
export function closestThumbnail<
  Format extends { readonly name: string; readonly width: number; readonly animated: boolean },
>(formats: readonly Format[], name: string): Format | undefined {
  const [asked, digits, animated] = wellFormed.exec(name) ?? [];
  if (asked === undefined) return undefined;
  const width = Math.min(Number(digits), otherKind - 1);
  const distance = (format: Format) =>
    (format.animated === (animated !== undefined) ? 0 : otherKind) + Math.abs(format.width - width);
  return (
    formats.find((format) => format.name === asked) ??
    formats.toSorted((a, b) => distance(a) - distance(b))[0]
  );
}
