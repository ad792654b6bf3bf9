import { open } from "node:fs/promises";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { StartupError } from "@carillon/kit";
import type { TokenKind } from "@carillon/push";
import type { Provider } from "./provider.ts";

/** One line of the file. */
export interface LoggedHandover {
  /** When it was handed over, ISO 8601. */
  readonly at: string;
  readonly kind: TokenKind;
  readonly token: string;
  readonly ios_app_id: string | null;
  readonly urgent: boolean;
  readonly alert: boolean;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Creates a provider for development, which appends each notification as a JSON line to a file (mode 0600). The file
 * contains tokens and payloads, so use no real ones.
 * @throws StartupError when the file cannot be written
 */
export async function developmentProvider(kind: TokenKind, path: string): Promise<Provider> {
  const file = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    .then(() => open(path, "a", 0o600))
    .catch((error: NodeJS.ErrnoException) => {
      throw new StartupError(`BOUNCER_HANDOVER_LOG ${path} cannot be written (${error.code})`);
    });
  return {
    name: "development",
    async handOver({ token, iosAppId, urgent, alert, payload }) {
      const line: LoggedHandover = {
        at: new Date().toISOString(),
        kind,
        token,
        ios_app_id: iosAppId,
        urgent,
        alert,
        payload,
      };
      try {
        await file.appendFile(`${JSON.stringify(line)}\n`);
        return { kind: "sent" };
      } catch (error) {
        return { kind: "undelivered", why: (error as NodeJS.ErrnoException).code ?? "unknown" };
      }
    },
    close: () => file.close(),
  };
}
