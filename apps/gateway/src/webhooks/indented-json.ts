import { maxMessageLength } from "@carillon/model";

/** UTF-16 units of a text after which nothing of it is shown any more. */
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
    const isList = Array.isArray(value);
    const inner = `${lineEnd}  `;
    let isEmpty = true;
    text += isList ? "[" : "{";
    for (const key in value) {
      if (text.length > enough) return;
      text += isEmpty ? inner : `,${inner}`;
      isEmpty = false;
      if (!isList) text += `${JSON.stringify(key.slice(0, enough))}: `;
      write((value as Record<string, unknown>)[key], inner);
    }
    if (!isEmpty) text += lineEnd;
    text += isList ? "]" : "}";
  }
}
