const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Characters that a language tag may have. */
const maxLength = 50;

/** The English name of the language that a tag like `de` or `pt-br` stands for; undefined where it stands for none. */
export function languageName(tag: string): string | undefined {
  if (tag.length > maxLength) return undefined;
  try {
    return names.of(tag);
  } catch {
    return undefined;
  }
}
