import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";

const maxBytes = 50_000_000;

/** The log file of a process, and the previous file (`.1`). */
export class LogFile {
  readonly path: string;

  /** @param name such as `gateway`: `logs/gateway.log` in the data folder */
  constructor(dataDir: string, name: string) {
    const folder = join(dataDir, "logs");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.path = join(folder, `${name}.log`);
  }

  /** Opens the file for appending; the caller closes the descriptor. */
  open(): number {
    this.limit();
    return openSync(this.path, "a", 0o600);
  }

  /** Makes a synchronous writer for a logger of this process. */
  writer(): { write(line: string): void } {
    return { write: (line) => appendFileSync(this.path, line, { mode: 0o600 }) };
  }

  size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Moves the content to `.1` when it exceeds 50 MB. Writers append, so they continue in the emptied file. */
  limit(): void {
    if (this.size() <= maxBytes) return;
    copyFileSync(this.path, `${this.path}.1`);
    truncateSync(this.path);
  }

  /** Returns the last line since `offset` that explains an error; of a JSON line, only its message. */
  lastErrorLine(offset: number): string {
    const lines = this.#tail(offset).trim().split("\n");
    const spoken = lines.map(words).filter((line) => line !== "");
    // After a crash Node prints the place, the error, the stack and its own version.
    return spoken.findLast((line) => /^\w*Error\b.*: /.test(line)) ?? spoken.at(-1) ?? "";
  }

  #tail(offset: number): string {
    const size = this.size();
    const from = Math.max(offset, size - 64_000);
    if (size <= from) return "";
    const file = openSync(this.path, "r");
    try {
      const bytes = Buffer.alloc(size - from);
      readSync(file, bytes, 0, bytes.length, from);
      return bytes.toString("utf8");
    } finally {
      closeSync(file);
    }
  }
}

function words(line: string): string {
  if (!line.startsWith("{")) return line.trim();
  try {
    const entry = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    // Only lines of level 50 (error) and above explain why the process ended.
    return (entry.level ?? 0) >= 50 ? (entry.err?.message ?? entry.msg ?? "") : "";
  } catch {
    return line.trim();
  }
}
