/** Encodes one component of a link into the organization (rendering.md §5): `a b.c` → `a.20b.2Ec`. */
export function encodeComponent(text: string): string {
  const encoded = encodeURIComponent(wellFormed(text));
  return encoded
    .replace(/[().]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");
}

/** Returns the slug of a channel: `9-design-review` for channel 9 called `design review`. */
export function channelSlug(id: number, name: string): string {
  return encodeComponent(`${id}-${name.replaceAll(" ", "-")}`);
}

/** Replaces lone surrogates, which have no UTF-8 form, with U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
