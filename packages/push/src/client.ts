import * as z from "zod";

import { outcomeOf } from "./answers.ts";
import type { PushConfig } from "./config.ts";
import type { BouncerOutcome } from "./outcome.ts";
import { startTransport } from "./transport.ts";
import {
  bouncerPaths,
  idempotencyHeader,
  notifyAnswer,
  type NotifyAnswer,
  type NotifyBody,
} from "./wire.ts";

/** A device's token for the bouncer (push.md §3). The last two fields are passed on unchanged. */
export interface TokenRegistration {
  /** `realms.uuid` */
  readonly realmUuid: string;
  /** 8 bytes */
  readonly tokenId: Uint8Array;
  readonly encryptedPushRegistration: string;
  readonly bouncerPublicKey: string;
}

/** Options of a call; aborting the signal makes the call throw its reason. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/**
 * Client of the push bouncer (push.md §4). A call never throws for failures of the bouncer or the network: they are its
 * outcome. It ends within the configured time and reads at most 1 MB. Call it outside of transactions.
 */
export interface BouncerClient {
  /** The bouncer's host, for the log. */
  readonly about: string;
  /** Registers a token with the bouncer. Idempotent. */
  register(
    registration: TokenRegistration,
    options?: CallOptions,
  ): Promise<BouncerOutcome<Record<never, never>>>;
  /**
   * Sends notifications through the bouncer.
   * @param options `idempotencyKey`: by which our bouncer recognizes a repeated call; printable ASCII
   */
  notify(
    body: NotifyBody,
    options?: CallOptions & { readonly idempotencyKey?: string },
  ): Promise<BouncerOutcome<NotifyAnswer>>;
  /** Closes the connections; running calls end with a transport failure. */
  close(): Promise<void>;
}

/**
 * Creates a client of the configured bouncer. It loads undici and connects at its first call.
 * @param version of this server, for `User-Agent`
 */
export function bouncerClient(config: PushConfig, version: string): BouncerClient {
  const transport = startTransport(config, version);
  return {
    about: `at ${new URL(config.url).host}`,
    async register({ realmUuid, tokenId, ...opaque }, { signal } = {}) {
      const fields = new URLSearchParams({
        realm_uuid: realmUuid,
        token_id: Buffer.from(tokenId).toString("base64"),
        encrypted_push_registration: opaque.encryptedPushRegistration,
        bouncer_public_key: opaque.bouncerPublicKey,
      });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const sent = { path: bouncerPaths.register, headers, body: fields.toString(), signal };
      return outcomeOf(await transport.post(sent), z.object({}));
    },
    async notify(body, { idempotencyKey, signal } = {}) {
      const headers = {
        "content-type": "application/json",
        ...(idempotencyKey !== undefined && { [idempotencyHeader]: idempotencyKey }),
      };
      const sent = { path: bouncerPaths.notify, headers, body: JSON.stringify(body), signal };
      return outcomeOf(await transport.post(sent), notifyAnswer);
    },
    close: () => transport.close(),
  };
}
