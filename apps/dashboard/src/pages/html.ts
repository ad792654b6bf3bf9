/** Finished HTML; anything else is escaped in templates. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | null | undefined | readonly Content[];

/** Template tag that escapes values, in text and in quoted attributes; lists are joined, absent values are empty. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) text += render(value) + (strings[index + 1] ?? "");
  return new Html(text);
}

function render(content: Content): string {
  if (content instanceof Html) return content.text;
  if (content === null || content === undefined) return "";
  if (typeof content === "object") return content.map(render).join("");
  return escape(String(content));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
