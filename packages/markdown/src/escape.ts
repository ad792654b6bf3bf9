const IN_TEXT = /[&<>]/;
const IN_TEXT_ALL = /[&<>]/g;
const IN_ATTRIBUTE = /[&<>"]/;
const IN_ATTRIBUTE_ALL = /[&<>"]/g;
const IN_CODE_BLOCK_ALL = /[&<>"']/g;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function entity(character: string): string {
  return ENTITIES[character] ?? character;
}

/** Escapes text between tags: `& < >`, not quotes (rendering.md §1). */
export function escapeText(text: string): string {
  return IN_TEXT.test(text) ? text.replace(IN_TEXT_ALL, entity) : text;
}

/** Escapes text for a double-quoted attribute. */
export function escapeAttribute(text: string): string {
  return IN_ATTRIBUTE.test(text) ? text.replace(IN_ATTRIBUTE_ALL, entity) : text;
}

/** Escapes text of a code block, both kinds of quotes included (rendering.md §1). */
export function escapeCodeBlock(text: string): string {
  return text.replace(IN_CODE_BLOCK_ALL, entity);
}
