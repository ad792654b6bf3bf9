import { createWriteStream } from "node:fs";
import { access, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { type Backup, writeBackup } from "@carillon/backup";
import { chatMigrations } from "@carillon/db";
import { bouncerMigrations } from "@carillon/push";
import { StartupError } from "@carillon/kit";

import type { Context } from "../context.ts";
import { reserveFile } from "../credentials.ts";
import { withBouncerDatabase, withInstallation } from "../installation.ts";
import { UsageError } from "../usage-error.ts";

/** Writes a backup. A file gets its name only when it is complete. */
export async function backUp(
  context: Context,
  file: string,
  { bouncer = false }: { readonly bouncer?: boolean } = {},
): Promise<void> {
  const { terminal } = context;
  if (file === "-" && terminal.shown)
    throw new UsageError("standard output is a terminal: name a file, or redirect it into one");
  if (file !== "-") await checkIsFree(file);
  const write = (databaseUrl: string) => {
    const into = (target: Writable) =>
      writeBackup(databaseUrl, target, bouncer ? bouncerMigrations : chatMigrations);
    return file === "-" ? into(terminal.output) : intoFile(context, file, into);
  };
  const { tables, rows } = await (bouncer
    ? withBouncerDatabase(context, write)
    : withInstallation(context, ({ databaseUrl }) => write(databaseUrl)));
  terminal.note(`Backed up ${rows} rows of ${tables} tables. SECRET_KEY is not included.`);
}

async function intoFile(
  { cleanups }: Context,
  file: string,
  write: (target: Writable) => Promise<Backup>,
): Promise<Backup> {
  const part = `${file}.part`;
  reserveFile(part);
  return cleanups.during(
    () => rm(part, { force: true }),
    async () => {
      const made = await write(
        // `r+` does not re-create the file that an interruption has deleted.
        createWriteStream(part, { flags: "r+", flush: true }),
      );
      await renameToFinal(part, file);
      await syncFolder(dirname(file));
      return made;
    },
  );
}

/** Renames the file, without overwriting one that appeared meanwhile. */
async function renameToFinal(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems have no hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    await checkIsFree(file);
    await rename(part, file);
  }
}

/** @throws StartupError when the file exists */
async function checkIsFree(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new StartupError(`${file} already exists`);
}

/** Syncs the folder, so that the name survives a crash. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
