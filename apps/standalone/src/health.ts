import { setTimeout as pause } from "node:timers/promises";

/** Resolves when `GET url` answers 200. */
export async function healthy(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
      await response.arrayBuffer();
      if (response.status === 200) return;
    } catch {
      // Not yet.
    }
    await pause(50);
  }
}

/** The address that reaches a server of this machine which listens on `host`. */
export function localUrl(host: string, port: number): string {
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
  const name = everywhere[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${name}:${port}`;
}
