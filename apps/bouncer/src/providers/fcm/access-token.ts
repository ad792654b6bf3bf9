import { type Clock, systemClock } from "@carillon/kit";
import { SignJWT } from "jose";
import type { Agent } from "undici";
import * as z from "zod";
import { post } from "./http.ts";
import type { ServiceAccount } from "./service-account.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Google's maximum lifetime of an assertion, in seconds. */
const assertionSeconds = 3_600;
/** A token is renewed this many milliseconds before it expires. */
const marginMs = 60_000;

const granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
});

/** No access token could be fetched; the message is a status or a code. */
export class NoAccessToken extends Error {}

/** The access token for FCM, fetched with a signed assertion and renewed when it expires. */
export class AccessTokens {
  readonly #agent: Agent;
  readonly #account: ServiceAccount;
  readonly #clock: Clock;
  #token: { readonly text: string; readonly until: number } | undefined;
  #exchange: Promise<string> | undefined;

  constructor(agent: Agent, account: ServiceAccount, clock: Clock = systemClock) {
    this.#agent = agent;
    this.#account = account;
    this.#clock = clock;
  }

  /** Returns the current token, or fetches one; concurrent calls share a fetch. @throws NoAccessToken */
  async get(): Promise<string> {
    if (this.#token && this.#token.until > this.#clock.now()) return this.#token.text;
    this.#exchange ??= this.#ask().finally(() => (this.#exchange = undefined));
    return this.#exchange;
  }

  /** Discards a refused token. */
  forget(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  async #ask(): Promise<string> {
    const { tokenUri } = this.#account;
    const form = new URLSearchParams({ grant_type: grantType, assertion: await this.#assertion() });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const reply = await post(this.#agent, tokenUri, headers, form.toString());
    if ("failed" in reply) throw new NoAccessToken(`token ${reply.failed}`);
    const { data } = granted.safeParse(reply.body);
    if (reply.status !== 200 || !data) throw new NoAccessToken(`token ${reply.status}`);
    const until = this.#clock.now() + data.expires_in * 1_000 - marginMs;
    this.#token = { text: data.access_token, until };
    return data.access_token;
  }

  #assertion(): Promise<string> {
    const { email, keyId, privateKey, tokenUri } = this.#account;
    const now = Math.floor(this.#clock.now() / 1_000);
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(email)
      .setAudience(tokenUri)
      .setIssuedAt(now)
      .setExpirationTime(now + assertionSeconds)
      .sign(privateKey);
  }
}
