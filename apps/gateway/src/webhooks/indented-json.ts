import { maxMessageLength } from "@carillon/model";

/** A message shows at most this many UTF-16 units of a text. */
const enough = 2 * maxMessageLength;

/**
 * Writes a value as `JSON.stringify(value, null, 2)` does, but ends as soon as the text is longer than a message: two
 * megabytes of brackets would become 100 MB.
 */
export function indentedJson(root: unknown): string {
  let text = "";
  write(root, "\n");
  return text;

  function write(value: unknown, lineEnd: string): void {
    if (text.length > enough) return;
    if (typeof value === "string") {
      text += JSON.stringify(value.slice(0, enough));
      return;
    }
    if (typeof value !== "object" || value === null) {
      text += JSON.stringify(value);
      return;
    }
    if (Array.isArray(value)) writeList(value, lineEnd);
    else writeObject(value as Record<string, unknown>, lineEnd);
  }

  // By index: `for … in` would list the indexes of a million items first.
  function writeList(list: readonly unknown[], lineEnd: string): void {
    const inner = `${lineEnd}  `;
    text += "[";
    for (let at = 0; at < list.length && text.length <= enough; at++) {
      text += at === 0 ? inner : `,${inner}`;
      write(list[at], inner);
    }
    text += list.length === 0 ? "]" : `${lineEnd}]`;
  }

  function writeObject(object: Readonly<Record<string, unknown>>, lineEnd: string): void {
    const inner = `${lineEnd}  `;
    let isEmpty = true;
    text += "{";
    for (const name in object) {
      if (text.length > enough) break;
      text += `${isEmpty ? "" : ","}${inner}${JSON.stringify(name.slice(0, enough))}: `;
      isEmpty = false;
      write(object[name], inner);
    }
    text += isEmpty ? "}" : `${lineEnd}}`;
  }
}
