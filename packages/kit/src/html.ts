/** HTML that {@link html} inserts without escaping it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: texts are escaped, lists are joined, absent values and `false` are left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Makes HTML from a template; escapes every value, in text and in quoted attributes, unless it is `Html` itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0] ?? "";
  for (const [i, value] of values.entries()) text += textOf(value) + (parts[i + 1] ?? "");
  return new Html(text);
}

function textOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
