import { noSubdomain } from "@carillon/domain";
import { StartupError } from "@carillon/kit";
import { TransferReader } from "@carillon/transfer";
import type pg from "pg";

import { ask, onConnection } from "./connect.ts";
import type { Slicing } from "./delete-in-slices.ts";
import { discardImport } from "./discard-import.ts";
import { lockExport } from "./lock-for-session.ts";
import { withSubdomain } from "./open-journal.ts";

/**
 * An unfinished import: that of the export in a folder, or, if the folder is lost, the one of an organization that is to get
 * a subdomain.
 */
export type UnfinishedImport = { readonly folder: string } | { readonly subdomain: string };

/**
 * Deletes what an unfinished import has stored. Continues after a break.
 * @throws StartupError if there is no such import
 */
export async function giveUpImport(
  databaseUrl: string,
  which: UnfinishedImport,
  slicing?: Slicing,
): Promise<void> {
  const reader = "folder" in which ? await TransferReader.open(which.folder) : undefined;
  await onConnection(databaseUrl, async (client) => {
    const [column, value] =
      "folder" in which ? ["digest", reader!.digest] : ["subdomain", which.subdomain];
    const [row] = await ask<{ id: number; digest: string }>(
      client,
      `SELECT id, digest FROM organization_imports WHERE ${column} = $1 AND finished_at IS NULL`,
      [value],
    );
    if (!row) throw new StartupError(await whyNothingToDiscard(client, which));
    await lockExport(client, row.digest);
    await discardImport(client, row.id, slicing);
  });
}

async function whyNothingToDiscard(client: pg.Client, which: UnfinishedImport): Promise<string> {
  if ("folder" in which) return "there is no unfinished import of this export";
  const rows = await ask<{ subdomain: string }>(
    client,
    "SELECT subdomain FROM organization_imports WHERE finished_at IS NULL ORDER BY id",
  );
  const labels = rows.map(({ subdomain }) => subdomain || noSubdomain).join(", ");
  return `there is no unfinished import of an organization ${withSubdomain(which.subdomain)}${labels === "" ? "" : `; unfinished are: ${labels}`}`;
}
