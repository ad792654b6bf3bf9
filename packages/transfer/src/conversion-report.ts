import { type FileHandle, open } from "node:fs/promises";

/** What could not be carried over, or not as it was. */
export interface ReportLine {
  /** The kind of thing, such as `reaction` or `file`. */
  readonly what: string;
  /** File of the source, and the place in it. */
  readonly where: string;
  readonly why: string;
}

/** Lines that are collected before a write. */
const batch = 500;

/** Writes a line of JSON for each thing that was not carried over, and counts them. */
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

  /** Things with a line in the file, by kind. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Things that are left out on purpose and only counted, by kind. */
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

  /** Writes what has been collected. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const text = this.#pending.join("");
    this.#pending = [];
    await this.#handle.writeFile(text);
  }

  /** Writes what has been collected when it is much. */
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
