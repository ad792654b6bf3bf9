import { maxMessageLength } from "@carillon/model";

/** A message shows at most this many UTF-16 units of a text. */
const enough = 2 * maxMessageLength;

/** Joins the pieces of a message that are not blank by blank lines, until the message is full. */
export function joinedPieces(pieces: Iterable<string>): string {
  let text = "";
  for (const piece of pieces) {
    if (piece.trim() === "") continue;
    text += text === "" ? piece : `\n\n${piece}`;
    if (text.length > enough) break;
  }
  return text;
}
