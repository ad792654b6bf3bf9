import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../../docs/protocol/", import.meta.url);

/** A page of the protocol. */
export interface ProtocolPage {
  /** File name: `channels.md`. */
  readonly name: string;
  readonly text: string;
  /**
   * Sections that can be cited: headings that begin with a number, and numbered items below them (`4`, `1.3`, `4.11`).
   */
  readonly sections: ReadonlySet<string>;
}

/** Reads all pages except the README. */
export async function readPages(): Promise<ProtocolPage[]> {
  const names = (await readdir(folder)).filter((name) => /^[a-z].*\.md$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => protocolPage(name, await readFile(new URL(name, folder), "utf8"))),
  );
}

export function protocolPage(name: string, text: string): ProtocolPage {
  const sections = new Set<string>();
  let section: string | undefined;
  for (const line of text.split("\n")) {
    const heading = /^#{2,4} (\d+(?:\.\d+)*)\b/.exec(line)?.[1];
    if (heading) sections.add((section = heading));
    // An item of a list, or a row of a table with numbers.
    const item = /^(?:(\d+)\. |\| (\d+) \|)/.exec(line);
    if (item && section) sections.add(`${section}.${item[1] ?? item[2]}`);
  }
  return { name, text, sections };
}
