import { setTimeout as pause } from "node:timers/promises";
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  closeEventLog,
  findOrganization,
  makeReadOnly,
  noSubdomain,
  redirectOrganization,
  reopenOrganization,
  retireOrganization,
  unfinishedWork,
} from "@carillon/domain";
import type { Database } from "@carillon/db";
import { fileStoreFromEnvironment, type FileStore } from "@carillon/files";
import { counted, readSecretFile, StartupError } from "@carillon/kit";
import { loadRealm, realmUrl } from "@carillon/model";
import {
  exportOrganization,
  giveUpImport,
  importOrganization,
  newTransferKey,
  type TransferKey,
  transferKeyOf,
} from "@carillon/moving";

import type { Context } from "../context.ts";
import { reserveFile } from "../credentials.ts";
import { type ConnectedInstallation, withDatabase } from "../installation.ts";
import { addressOf, whyUnreachable } from "../reachable.ts";
import { UsageError } from "../usage-error.ts";

interface ExportOptions {
  readonly organization?: string;
  readonly keyFile?: string;
  readonly final?: boolean;
}

interface ImportOptions {
  readonly subdomain?: string;
  readonly keyFile?: string;
  readonly discard?: boolean;
}

/** Exports an organization into a folder. */
export async function writeOrganization(
  context: Context,
  folder: string,
  options: ExportOptions,
): Promise<void> {
  await withDatabase(context, async (connected) => {
    const { db, site, databaseUrl } = connected;
    const realm = await findOrganization(db, options.organization);
    const keyFile = options.keyFile ?? `${resolve(folder)}.key`;
    let isClosing = false;
    const closeRealm = () => {
      isClosing = true;
      return close(context, db, realm.id);
    };
    const exporting = withFiles(connected, (store) =>
      exportOrganization({
        databaseUrl,
        realmId: realm.id,
        folder,
        url: realmUrl(site, realm),
        secrets: site.secrets,
        openKey: () => keptKey(keyFile),
        files: store,
        progress: progressOf(context),
        closeOrganization: options.final ? closeRealm : undefined,
      }),
    );
    const { manifest, files } = await exporting.catch(async (error: unknown) => {
      // Another export may have failed or be running: advice about it would be wrong.
      const isReadOnly = async () => (await loadRealm(db, realm.id)).isReadOnly;
      if (isClosing && (await isReadOnly().catch(() => false)))
        context.terminal.note(
          "The export has failed, and the organization is read-only. Run the same command again, or open the organization with carillon organization reopen.",
        );
      throw error;
    });
    const records = (table: string, noun: string) =>
      counted(manifest.records.find(({ file }) => file === `${table}.ndjson`)?.count ?? 0, noun);
    const kept = files.kept > 0 ? `, already there: ${files.kept}` : "";
    context.terminal.say(
      `Exported ${realm.name} to ${folder}: ${records("users", "account")}, ${records("channels", "channel")}, ${records("messages", "message")}, ${counted(files.copied + files.kept, "file")}${kept}.`,
    );
    context.terminal.say(
      `Its secrets are sealed with the key in ${keyFile}: take it to the other installation apart from the folder.`,
    );
  });
}

/** Milliseconds for which the command waits until jobs and transactions of a read-only organization have ended. */
const finishingMs = 120_000;

/** Makes an organization read-only, waits for its jobs and transactions, and closes its event log. */
async function close({ terminal }: Context, db: Database, realmId: number): Promise<void> {
  await db.transaction((tx) => makeReadOnly(tx, realmId));
  terminal.note("The organization is read-only.");
  const begun = performance.now();
  for (;;) {
    // A request that a gateway admitted before this begins its transaction within about a second.
    await pause(1_000);
    const { jobs, transactions } = await unfinishedWork(db, realmId);
    const waited = performance.now() - begun;
    // Transactions of requests end within 31 s. An older transaction is, for example, that of a backup.
    if (jobs === 0 && (transactions === 0 || waited > 35_000)) break;
    if (waited < finishingMs) continue;
    throw new StartupError(
      `${counted(jobs, "job")} of the organization must still be done: check the workers`,
    );
  }
  await db.transaction((tx) => closeEventLog(tx, realmId));
}

/** Reopens an organization that a final export has made read-only. */
export async function reopen(
  context: Context,
  {
    organization,
    notImported = false,
  }: { readonly organization?: string; readonly notImported?: boolean },
): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, organization);
    await db.transaction((tx) => reopenOrganization(tx, realm.id, { notImported }));
    context.terminal.say(
      `${realm.name} is open again. Do not use a final export that was made of it.`,
    );
  });
}

/** Redirects the address of an organization that has moved. */
export async function redirect(
  context: Context,
  url: string,
  { organization }: { readonly organization?: string },
): Promise<void> {
  const target = URL.parse(url);
  if (
    !target ||
    !/^https?:$/.test(target.protocol) ||
    target.pathname !== "/" ||
    target.search !== ""
  )
    throw new UsageError(
      `the new address must be like https://chat.example.com, not ${JSON.stringify(url)}`,
    );
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, organization);
    await db.transaction((tx) => redirectOrganization(tx, realm.id, target.origin));
    context.terminal.say(`${realm.name} has moved to ${target.origin}.`);
  });
}

/** Takes the subdomain and the keys from an organization that has moved away. */
export async function retire(
  context: Context,
  { organization }: { readonly organization?: string },
): Promise<void> {
  await withDatabase(context, async ({ db, site }) => {
    const realm = await findOrganization(db, organization);
    const label = await db.transaction((tx) => retireOrganization(tx, site.secrets, realm.id));
    context.terminal.say(
      `${realm.name} is retired under the subdomain ${label}. It can be imported with its former subdomain and keys.`,
    );
  });
}

/** Imports an organization from a folder. With `discard`, deletes what an unfinished import of it has stored. */
export async function readOrganization(
  context: Context,
  folder: string | undefined,
  options: ImportOptions,
): Promise<void> {
  const subdomain = options.subdomain === noSubdomain ? "" : options.subdomain;
  if (options.discard) {
    await discard(context, folder, subdomain);
    return;
  }
  if (folder === undefined) throw new UsageError("the folder of the export is missing");
  await withDatabase(context, async (connected) => {
    const { db, site, databaseUrl } = connected;
    const keyFile = options.keyFile ?? `${resolve(folder)}.key`;
    const key = options.keyFile !== undefined || existsSync(keyFile) ? readKey(keyFile) : undefined;
    await withFiles(connected, async (files) => {
      const progress = progressOf(context);
      const report = (change: string) => context.terminal.note(change);
      const importing = { databaseUrl, db, site, folder, subdomain, key, files, progress, report };
      const { realmId, name, accounts, messages, isReadOnly } = await importOrganization(importing);
      const realm = await loadRealm(db, realmId);
      const unreachable = whyUnreachable(connected, realm);
      const at = unreachable === undefined ? ` at ${addressOf(context, connected, realm)}` : "";
      context.terminal.say(
        `Imported ${name}${at}: ${counted(accounts, "account")}, ${counted(messages, "message")}.`,
      );
      if (unreachable !== undefined) context.terminal.note(`${unreachable}.`);
      if (isReadOnly)
        context.terminal.note(
          `It is read-only, because the export is not final: the old organization still sends what is scheduled. To open it, run carillon organization reopen --organization ${realm.subdomain || "-"}.`,
        );
    });
  });
}

/** Deletes what an unfinished import has stored. */
async function discard(
  context: Context,
  folder: string | undefined,
  subdomain: string | undefined,
): Promise<void> {
  const which =
    folder !== undefined ? { folder } : subdomain !== undefined ? { subdomain } : undefined;
  if (!which)
    throw new UsageError(
      "--discard needs the folder of the export, or --subdomain with the label that its organization was to get",
    );
  await withDatabase(context, async ({ databaseUrl }) => {
    await giveUpImport(databaseUrl, which, { progress: progressOf(context) });
    context.terminal.say("Deleted what the unfinished import had stored.");
  });
}

async function withFiles<Result>(
  { env }: ConnectedInstallation,
  work: (store: FileStore) => Promise<Result>,
): Promise<Result> {
  const store = fileStoreFromEnvironment(env);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Reads the key of an export that is being continued, or creates one. */
function keptKey(file: string): TransferKey {
  if (existsSync(file)) return readKey(file);
  const text = newTransferKey();
  reserveFile(file);
  writeFileSync(file, `${text}\n`);
  return transferKeyOf(text);
}

function readKey(file: string): TransferKey {
  let text: string;
  try {
    text = readSecretFile(file).trim();
  } catch (error) {
    throw new StartupError(
      `the key ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    );
  }
  if (text === "") throw new StartupError(`the key ${file} is empty: delete the file`);
  return transferKeyOf(text);
}

/** Returns a function that prints progress on standard error, every few seconds. */
function progressOf({
  terminal,
  progressMs = 5_000,
}: Context): (what: string, done: number) => void {
  let reported = performance.now();
  return (what, done) => {
    if (performance.now() - reported < progressMs) return;
    reported = performance.now();
    terminal.note(`${what}: ${done}`);
  };
}
