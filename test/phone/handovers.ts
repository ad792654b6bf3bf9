import { open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Handed } from "./phone.ts";

const recheckMs = 100;

/** Yields the entries of a bouncer's hand-over log, existing and new ones, until the signal. */
export async function* handovers(path: string, signal: AbortSignal): AsyncGenerator<Handed> {
  let offset = 0;
  let half = Buffer.alloc(0);
  while (!signal.aborted) {
    const more = await readFrom(path, offset);
    offset += more.length;
    const text = Buffer.concat([half, more]);
    const end = text.lastIndexOf("\n") + 1;
    half = text.subarray(end);
    for (const line of text.subarray(0, end).toString("utf8").split("\n"))
      if (line !== "") yield JSON.parse(line) as Handed;
    await pause(recheckMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Reads the file from the offset on; empty if it does not exist yet. */
async function readFrom(path: string, offset: number): Promise<Buffer> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return Buffer.alloc(0);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, size - offset));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
