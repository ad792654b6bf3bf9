import { type FileHandle, open } from "node:fs/promises";

/** A thing that a conversion left out or changed. */
export interface ReportLine {
  /** The kind of thing, such as `reaction` or `file`. */
  readonly what: string;
  /** The file of the source, and the place in it. */
  readonly where: string;
  readonly why: string;
}

/** Lines that are collected before they are written. */
const batch = 500;

/** The report of a conversion: a file with a line of JSON for each thing that was left out or changed, and their counts. */
export class ConversionReport {
  readonly #handle: FileHandle;
  readonly #counts = new Map<string, number>();
  readonly #skipped = new Map<string, number>();
  #pending: string[] = [];

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(path: string): Promise<ConversionReport> {
    return new ConversionReport(await open(path, "w", 0o600));
  }

  /** The number of things with a line in the file, by kind. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The number of things that are left out on purpose and have no line each, by kind. */
  get skipped(): ReadonlyMap<string, number> {
    return this.#skipped;
  }

  add(line: ReportLine): void {
    raise(this.#counts, line.what);
    this.#pending.push(`${JSON.stringify(line)}\n`);
  }

  skip(kind: string): void {
    raise(this.#skipped, kind);
  }

  /** Writes the collected lines. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const text = this.#pending.join("");
    this.#pending = [];
    await this.#handle.writeFile(text);
  }

  /** Writes the collected lines if there are {@link batch} or more. */
  async flushIfFull(): Promise<void> {
    if (this.#pending.length >= batch) await this.flush();
  }

  async close(): Promise<void> {
    for (const [kind, count] of this.#skipped)
      this.#pending.push(`${JSON.stringify({ what: kind, count, why: "left out on purpose" })}\n`);
    await this.flush();
    await this.#handle.close();
  }
}

function raise(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
