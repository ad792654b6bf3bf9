/** The content types of files that may be images (files.md §5). Not SVG: it may run scripts. */
export const imageTypes = [
  "image/avif",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/tiff",
  "image/webp",
] as const;

export type ImageType = (typeof imageTypes)[number];

/** How many bytes at the beginning of a file {@link imageTypeOf} reads. */
const imageHeadBytes = 64;

/**
 * Returns the image type that the first bytes of a file belong to, or undefined if they belong to none. Reads the bytes only and
 * decodes nothing, so that a hostile file costs a gateway nothing.
 * @param head at least the first {@link imageHeadBytes} of the file, or the whole of a shorter file
 */
export function imageTypeOf(head: Buffer): ImageType | undefined {
  const ascii = head.toString("latin1", 0, imageHeadBytes);
  if (ascii.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (ascii.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(ascii)) return "image/gif";
  if (/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/.test(ascii)) return "image/tiff";
  if (/^RIFF[^]{4}WEBP/.test(ascii)) return "image/webp";
  return isAvif(ascii) ? "image/avif" : undefined;
}

/** Returns whether a file is an ISO base media file with AVIF as a brand. The second field after `ftyp` is a version. */
function isAvif(ascii: string): boolean {
  if (ascii.slice(4, 8) !== "ftyp") return false;
  const brands = ascii.slice(8).match(/[^]{4}/g) ?? [];
  return brands.some((brand, at) => at !== 1 && (brand === "avif" || brand === "avis"));
}
