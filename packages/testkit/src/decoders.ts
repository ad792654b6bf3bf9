import { readdirSync, readFileSync } from "node:fs";

/** Returns the process ids of the image decoders that a process has started. */
export function decodersOf(parent: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent && isDecoder(pid));
}

/** Returns whether the process is an image decoder. */
export function isDecoder(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).includes("decoder.mjs");
}

/** Returns whether the decoder has loaded libvips, and so reads or decodes. */
export function isReading(pid: number): boolean {
  return read(`/proc/${pid}/maps`).includes("libvips");
}

function parentOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
