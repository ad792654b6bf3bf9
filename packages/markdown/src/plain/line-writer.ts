import { firstCodePoints, isLongerThan } from "@carillon/kit";

/** Where lines of plain text come together: no empty ones, quoted ones marked, up to so many code points. */
export class LineWriter {
  readonly #most: number;
  #text = "";
  #atStart = true;
  #quotes = 0;
  /** Stands before the next text. */
  #marker = "";

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether nothing that is still written would be shown. */
  get isFull(): boolean {
    return isLongerThan(this.#text, this.#most);
  }

  /** How much has been written. */
  get length(): number {
    return this.#text.length;
  }

  /** Goes on in the line. White space at its beginning is left out, and a line break is a space. */
  write(text: string): void {
    const shown = this.#atStart ? text.trimStart() : text;
    if (shown !== "") this.#append(shown.replaceAll("\n", " "));
  }

  /** The same for text whose lines and spaces are its own. */
  writeLines(text: string): void {
    for (const [i, line] of text.split("\n").entries()) {
      if (i > 0) this.endLine();
      if (line.trim() !== "" || !this.#atStart) this.#append(line);
    }
  }

  endLine(): void {
    if (this.#atStart) return;
    this.#text = `${this.#text.trimEnd()}\n`;
    this.#atStart = true;
  }

  /** Goes on in the line that ended last. */
  reopenLine(): void {
    this.#text = this.#text.trimEnd();
    this.#atStart = false;
  }

  /** What is written from here on is quoted once more, or with `-1` once less. */
  quote(levels: 1 | -1): void {
    this.endLine();
    this.#quotes = Math.max(0, this.#quotes + levels);
  }

  /** Begins a line, whose text stands behind `marker`. */
  begin(marker: string): void {
    this.endLine();
    this.#marker = marker;
  }

  /** The text; where it is longer than it may be its beginning, with `…` behind it. */
  finish(): string {
    const text = this.#text.trimEnd();
    return isLongerThan(text, this.#most) ? `${firstCodePoints(text, this.#most)}…` : text;
  }

  #append(text: string): void {
    if (this.#atStart) this.#text += "> ".repeat(Math.min(this.#quotes, this.#most)) + this.#marker;
    this.#atStart = false;
    this.#marker = "";
    this.#text += text;
  }
}
