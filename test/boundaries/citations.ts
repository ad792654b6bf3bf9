import type { ProtocolPage } from "./protocol-pages.ts";

/** A section that a text cites: `channels.md §4`. */
export interface Citation {
  /** The citing file, from the root of the repository. */
  readonly from: string;
  readonly page: string;
  readonly section: string;
}

const number = String.raw`\d+(?:\.\d+)*`;
/** A citation of several sections: `§1, §2`, `§1–3`, `§5 and §6`. */
const sections = String.raw`${number}(?:(?:[–-]|, §|,? (?:and|or|to) §)${number})*`;
const ofPage = new RegExp(String.raw`([a-z][a-z-]*\.md)\x60? §(${sections})`, "g");
const ofOwnPage = new RegExp(String.raw`(?:§|\bsections? )(${sections})`, "g");

/**
 * Returns the citations in a text; line breaks of comments may be anywhere in a citation.
 * @param path path of the file from the root of the repository
 */
export function citations(path: string, text: string): Citation[] {
  return [...joined(text).matchAll(ofPage)].flatMap(([, page = "", cited = ""]) =>
    numbers(cited).map((section) => ({ from: path, page, section })),
  );
}

/** Returns the citations by which a protocol page refers to its own sections: `§4.11`, `section 3`. */
export function ownCitations({ name, text }: ProtocolPage): Citation[] {
  const rest = joined(text).replaceAll(ofPage, "");
  return [...rest.matchAll(ofOwnPage)].flatMap(([, cited = ""]) =>
    numbers(cited).map((section) => ({ from: `docs/protocol/${name}`, page: name, section })),
  );
}

/** Returns the citations of pages or sections that do not exist. */
export function unresolved(found: readonly Citation[], pages: readonly ProtocolPage[]): string[] {
  const byName = new Map(pages.map((page) => [page.name, page]));
  return found.flatMap(({ from, page, section }) => {
    const cited = byName.get(page);
    if (!cited) return [`${from} cites ${page}, which is not in docs/protocol`];
    return cited.sections.has(section)
      ? []
      : [`${from} cites ${page} §${section}, which does not exist`];
  });
}

/** Joins lines, and removes the prefixes of comment lines. */
function joined(text: string): string {
  return text.replaceAll(/[ \t]*\n[ \t]*(?:\*|\/\/\/?|--|#)?[ \t]*/g, " ");
}

function numbers(cited: string): string[] {
  return cited.match(new RegExp(number, "g")) ?? [];
}
