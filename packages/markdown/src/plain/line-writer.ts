import { firstCodePoints, isLongerThan } from "@carillon/kit";

/** Collects lines of plain text: no empty lines, quotes marked, up to a number of code points. */
export class LineWriter {
  readonly #most: number;
  #text = "";
  #atStart = true;
  #quotes = 0;
  /** White space at the start of a preformatted line, which is part of it once other text follows. */
  #indentation = "";
  /** Marker before the next text. */
  #marker = "";

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the limit is reached. */
  get isFull(): boolean {
    return isLongerThan(this.#text, this.#most);
  }

  /** Number of code points written. */
  get length(): number {
    return this.#text.length;
  }

  /** Appends to the line. Leading white space is dropped; a line break becomes a space. */
  write(text: string): void {
    const shown = this.#atStart ? text.trimStart() : text;
    if (shown !== "") this.#append(shown.replaceAll("\n", " "));
  }

  /** Appends preformatted text, line by line. */
  writeLines(text: string): void {
    for (const [i, line] of text.split("\n").entries()) {
      if (i > 0) this.endLine();
      if (line.trim() !== "" || !this.#atStart) {
        this.#append(this.#indentation + line);
        this.#indentation = "";
      } else this.#indentation += line;
    }
  }

  endLine(): void {
    this.#indentation = "";
    if (this.#atStart) return;
    this.#text = `${this.#text.trimEnd()}\n`;
    this.#atStart = true;
  }

  /** Reopens the last finished line. */
  reopenLine(): void {
    this.#text = this.#text.trimEnd();
    this.#atStart = false;
  }

  /** Increases or decreases the quote level of the following text. */
  quote(levels: 1 | -1): void {
    this.endLine();
    this.#quotes = Math.max(0, this.#quotes + levels);
  }

  /** Begins a line with a marker. */
  begin(marker: string): void {
    this.endLine();
    this.#marker = marker;
  }

  /** Returns the text, truncated with `…` at the limit. */
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
