import { type Database, lockKey, type Tx } from "@carillon/db";
import { checkSubdomain, noSubdomain, whyUnfinished } from "@carillon/domain";
import { StartupError } from "@carillon/kit";
import type { OrganizationRecord, TransferReader } from "@carillon/transfer";
import type pg from "pg";

import { ask } from "./connect.ts";
import { discardStep } from "./discard-import.ts";

/**
 * Finds the journal of the import, or begins it, and reserves the subdomain.
 * @param options.subdomain the label that the operator gave; undefined for that of the journal or of the export
 * @throws StartupError if the export was imported, its import is being deleted, or its subdomain is taken; ApiError for a subdomain that cannot be one
 */
export async function openJournal(
  client: pg.Client,
  { digest }: TransferReader,
  organization: OrganizationRecord,
  options: { readonly db: Database; readonly subdomain: string | undefined },
): Promise<{ id: number; subdomain: string }> {
  const [found] = await ask<{
    id: number;
    subdomain: string;
    step: string;
    finished: Date | null;
    current: string | null;
  }>(
    client,
    `SELECT i.id, i.subdomain, i.step, i.finished_at AS finished, r.subdomain AS current
     FROM organization_imports i LEFT JOIN realms r ON r.id = i.realm_id WHERE i.digest = $1`,
    [digest],
  );
  if (found?.finished)
    throw new StartupError(
      `this export was imported at ${found.finished.toISOString()}, as the organization ${withSubdomain(found.current ?? found.subdomain)}: for another copy, export the organization again`,
    );
  const subdomain = checkSubdomain(
    options.subdomain ?? found?.subdomain ?? organization.subdomain ?? "",
  );
  if (found && found.step !== "" && found.subdomain !== subdomain)
    throw new StartupError(
      `this import was begun for an organization ${withSubdomain(found.subdomain)}: go on without another --subdomain, or delete what it has stored with --discard`,
    );
  if (found?.step === discardStep)
    throw new StartupError(
      "the deletion of this unfinished import was broken off: end it with --discard",
    );
  const id = await options.db.transaction((tx) => reserveSubdomain(tx, client, subdomain, digest));
  return { id, subdomain };
}

/**
 * Writes the journal with its subdomain, and returns its id.
 * @throws StartupError if an organization or another unfinished import has the subdomain
 */
async function reserveSubdomain(
  tx: Tx,
  client: pg.Client,
  subdomain: string,
  digest: string,
): Promise<number> {
  // Organizations are created under this lock, too.
  await lockKey(tx, "firstOrganization", 0);
  const [taken] = await ask<{ isUnfinished: boolean; hasMoved: boolean }>(
    client,
    `SELECT false AS "isUnfinished", r.deactivated AND EXISTS (
         SELECT FROM event_head h WHERE h.realm_id = r.id AND h.last_seq IS NOT NULL) AS "hasMoved"
       FROM realms r WHERE r.subdomain = $1 UNION ALL
       SELECT true, false FROM organization_imports WHERE subdomain = $1 AND finished_at IS NULL AND digest <> $2`,
    [subdomain, digest],
  );
  if (taken) throw new StartupError(whyTaken(subdomain, taken));
  const [row] = await ask<{ id: number }>(
    client,
    `INSERT INTO organization_imports (digest, subdomain) VALUES ($1, $2)
       ON CONFLICT (digest) DO UPDATE SET subdomain = excluded.subdomain RETURNING id`,
    [digest, subdomain],
  );
  return row!.id;
}

function whyTaken(
  subdomain: string,
  { isUnfinished, hasMoved }: { readonly isUnfinished: boolean; readonly hasMoved: boolean },
): string {
  if (isUnfinished)
    return `${whyUnfinished(subdomain)}; or give this one another label, --subdomain NEW`;
  const taken = `there is already an organization ${withSubdomain(subdomain)}`;
  if (hasMoved)
    return `${taken}, which has moved away: if this export is of that organization, run carillon organization retire --organization ${subdomain || noSubdomain} first, so that it gets its subdomain and its API keys again; otherwise give the imported one another label, --subdomain NEW`;
  return `${taken}: give the imported one another label, --subdomain NEW`;
}

/** Tells an organization from others in a message: "with the subdomain x". */
export const withSubdomain = (subdomain: string): string =>
  subdomain === "" ? "without a subdomain" : `with the subdomain ${subdomain}`;
