import { z } from "zod";

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

/** A device's token for the bouncer to keep (push.md §3). The last two are passed on as the device sent them. */
export interface TokenRegistration {
  /** `realms.uuid` */
  readonly realmUuid: string;
  /** 8 bytes */
  readonly tokenId: Uint8Array;
  readonly encryptedPushRegistration: string;
  readonly bouncerPublicKey: string;
}

/** How a call may end before its time: then it throws the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/**
 * The push bouncer, as this server calls it (push.md §4). A call never throws for what the bouncer or the network does:
 * what became of it is its outcome. It ends within the configured time, whatever the bouncer does, and reads 1 MB at most.
 * Call it outside of any transaction.
 */
export interface BouncerClient {
  /** Where it is, for the log of the process. */
  readonly about: string;
  /** Has the bouncer keep a token. It may be called again for the same one. */
  register(
    registration: TokenRegistration,
    options?: CallOptions,
  ): Promise<BouncerOutcome<Record<never, never>>>;
  /**
   * Has the bouncer hand notifications over.
   * @param options `idempotencyKey`: by which our bouncer knows a call that it has had, of printable ASCII
   */
  notify(
    body: NotifyBody,
    options?: CallOptions & { readonly idempotencyKey?: string },
  ): Promise<BouncerOutcome<NotifyAnswer>>;
  /** Ends its connections; calls that are going on come to a transport failure. */
  close(): Promise<void>;
}

/**
 * A client of the configured bouncer. It connects, and loads undici, at its first call.
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
