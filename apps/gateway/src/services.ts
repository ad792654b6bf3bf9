import type { Database, RequestDeadline } from "@carillon/db";
import type { FileRequest, Guesses, KeyHolder, LoggedIn, StoredFileRow } from "@carillon/domain";
import { type SendingClient, type Site, clientOfAccount } from "@carillon/model";
import type { EventHub } from "@carillon/events";
import type { FileStore } from "@carillon/files";
import type { Logger, RateRule } from "@carillon/kit";
import type { BouncerClient } from "@carillon/push";

import type { RequestWriter } from "./group-commit/group-commit.ts";
import type { FileIntake } from "./http/file-intake.ts";
import type { MailLimits } from "./limits/mail-limiter.ts";
import type { PictureRequests } from "./picture-requests.ts";
import type { LookUp } from "./shared-look-up.ts";
import type { IdentityClient } from "./sign-in/identity-client.ts";
import type { WebhookCounts } from "./webhooks/counts.ts";
import type { TokenVerifier } from "./sign-in/token-verifier.ts";

/** Services that every action of the gateway may use. */
export interface Services {
  readonly db: Database;
  readonly site: Site;
  /** Finds the account of an API key by its digest. */
  readonly keys: LookUp<Uint8Array, KeyHolder>;
  /** Finds files that accounts may read. */
  readonly readableFiles: LookUp<FileRequest, StoredFileRow>;
  /** Records that people are there, and finds whether copies of their messages are deferred. */
  readonly visits: LookUp<number, boolean>;
  /** Lets polls wait for events. */
  readonly events: Pick<EventHub<unknown>, "poll">;
  /** Counts attempts at passwords. */
  readonly guesses: Guesses;
  /** Counts requests without credentials that may send mails. */
  readonly mails: MailLimits;
  /** Maximum mails with invitations of an organization in a time; none without limit. */
  readonly inviteRules: readonly RateRule[];
  /** Characters that one bot may store (bot-storage-alert-words-navigation.md §1). */
  readonly botStorageLimit: number;
  /** Signs people in at the identity provider; undefined if none is configured. */
  readonly identities: IdentityClient | undefined;
  /** Verifies signed tokens; undefined if none are accepted. */
  readonly tokens: TokenVerifier | undefined;
  /** Holds uploaded files. */
  readonly files: FileStore;
  /** Stores files of requests in `files`. */
  readonly intake: FileIntake;
  /** Undefined if no push service is configured. */
  readonly bouncer: BouncerClient | undefined;
  /** Batches requests of an operation with others of the organization. */
  readonly group: RequestWriter;
  /** Lets requests wait for their pictures. */
  readonly pictures: PictureRequests;
  /** Counts requests of other programs. */
  readonly webhooks: WebhookCounts;
  readonly log: Logger;
}

/** Binds the services to a database whose work ends with the request. */
export function bindServices(services: Services, deadline: RequestDeadline): Services {
  const { db, keys, readableFiles, visits, group } = services;
  return {
    ...services,
    db: db.within(deadline),
    keys: keys.within(deadline),
    readableFiles: readableFiles.within(deadline),
    visits: visits.within(deadline),
    group: group.within(deadline),
  };
}

/** Returns the row of the sending program, which messages refer to. */
export function clientOf(
  services: Services,
  actor: LoggedIn,
  name: string,
): Promise<SendingClient> {
  return clientOfAccount(services.db, actor.id, name);
}
