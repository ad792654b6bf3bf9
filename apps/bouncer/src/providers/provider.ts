import type { TokenKind } from "@carillon/push";

/** A notification for one device. */
export interface Handover {
  /** The provider's name of the device. In no log. */
  readonly token: string;
  /** When the device was last registered. */
  readonly registeredAt: Date;
  /** On Apple's devices, the app. */
  readonly iosAppId: string | null;
  /** At once, or when it suits the device. */
  readonly urgent: boolean;
  /** Whether something is shown. */
  readonly alert: boolean;
  /** As the server sent it; only the device can read it. In no log. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * What came of it.
 * - `sent`: the provider has it.
 * - `dead`: the token reaches nobody any more.
 * - `refused`: the provider does not take it, and will not.
 * - `undelivered`: it certainly has not taken it, and may later.
 * - `unsure`: it may have it; nobody knows.
 *
 * `why` is a code of the provider's or of ours, for the log.
 */
export type Outcome =
  | { readonly kind: "sent" }
  | {
      readonly kind: "dead" | "refused" | "undelivered" | "unsure";
      readonly why: string;
    };

/** Who brings notifications to devices. */
export interface Provider {
  /** For the log. */
  readonly name: string;
  /** Never throws, and ends within {@link handoverMs} and a connection's time. */
  handOver(handover: Handover): Promise<Outcome>;
  close(): Promise<void>;
}

/** Milliseconds that a provider has for one notification. */
export const handoverMs = 8_000;

/** Milliseconds for a connection to a provider. */
export const connectMs = 4_000;

/** Seconds for which a provider keeps what a device does not take at once. */
export const keptSeconds = 86_400;

/** The providers of a bouncer; a kind that has none is not served. */
export type Providers = Readonly<Partial<Record<TokenKind, Provider>>>;
