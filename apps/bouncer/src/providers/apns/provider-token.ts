import { type Clock, systemClock } from "@carillon/kit";
import { SignJWT } from "jose";
import type { ApnsKey } from "./key.ts";

/** APNs refuses tokens older than an hour, and providers that renew them more often than every 20 minutes. */
const usedForMs = 50 * 60_000;

/** The signed token for APNs, renewed every 50 minutes. */
export class ProviderTokens {
  readonly #key: ApnsKey;
  readonly #clock: Clock;
  #current: { readonly text: Promise<string>; readonly until: number } | undefined;

  constructor(key: ApnsKey, clock: Clock = systemClock) {
    this.#key = key;
    this.#clock = clock;
  }

  get(): Promise<string> {
    const now = this.#clock.now();
    if (!this.#current || this.#current.until <= now) {
      this.#current = { text: this.#sign(now), until: now + usedForMs };
    }
    return this.#current.text;
  }

  /** Discards a token that APNs refused as expired. */
  async forget(text: string): Promise<void> {
    const current = this.#current;
    if (current && (await current.text) === text && this.#current === current)
      this.#current = undefined;
  }

  #sign(now: number): Promise<string> {
    const { privateKey, keyId, teamId } = this.#key;
    return new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(now / 1_000))
      .sign(privateKey);
  }
}
