import type { TokenKind } from "@carillon/push";

/** A notification for one device. */
export interface Handover {
  /** The provider's token of the device. Never logged. */
  readonly token: string;
  /** When the device was last registered. */
  readonly registeredAt: Date;
  /** The bundle id of the app; null for devices that are not Apple's. */
  readonly iosAppId: string | null;
  /** Whether the notification has high priority. */
  readonly urgent: boolean;
  /** Whether the device shows something. */
  readonly alert: boolean;
  /** The encrypted payload from the server. Never logged. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Outcome of a handover.
 * - `sent`: the provider has accepted it.
 * - `dead`: the token is no longer valid.
 * - `refused`: the provider will never accept it.
 * - `undelivered`: the provider certainly has not accepted it; a repeat may succeed.
 * - `unsure`: the provider may or may not have accepted it.
 *
 * `why` is a code of the provider or of ours, for the log.
 */
export type Outcome =
  | { readonly kind: "sent" }
  | {
      readonly kind: "dead" | "refused" | "undelivered" | "unsure";
      readonly why: string;
    };

/** A service that delivers notifications to devices. */
export interface Provider {
  /** For the log. */
  readonly name: string;
  /** Never throws; takes at most {@link handoverMs} plus the time to connect. */
  handOver(handover: Handover): Promise<Outcome>;
  close(): Promise<void>;
}

/** Time limit of one notification, in milliseconds. */
export const handoverMs = 8_000;

/** Time limit of connecting to a provider, in milliseconds. */
export const connectMs = 4_000;

/** How long a provider keeps an undeliverable notification, in seconds. */
export const keptSeconds = 86_400;

/** The providers of a bouncer; a kind without one is not served. */
export type Providers = Readonly<Partial<Record<TokenKind, Provider>>>;
