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
import { onBouncer, onInstallation } from "../installation.ts";
import { UsageError } from "../usage-error.ts";

/** Writes a backup; a file appears under its name when it is whole. */
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
    ? onBouncer(context, write)
    : onInstallation(context, ({ databaseUrl }) => write(databaseUrl)));
  terminal.note(`Backed up ${rows} rows of ${tables} tables. SECRET_KEY is not among them.`);
}

async function intoFile(
  { holds }: Context,
  file: string,
  write: (target: Writable) => Promise<Backup>,
): Promise<Backup> {
  const part = `${file}.part`;
  reserveFile(part);
  return holds.during(
    () => rm(part, { force: true }),
    async () => {
      const made = await write(
        // Not made anew where it is gone: the command was broken off.
        createWriteStream(part, { flags: "r+", flush: true }),
      );
      await giveName(part, file);
      await kept(dirname(file));
      return made;
    },
  );
}

/** Never in place of what somebody else has put there meanwhile. */
async function giveName(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems have no links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    await checkIsFree(file);
    await rename(part, file);
  }
}

/** @throws StartupError where there is such a file */
async function checkIsFree(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new StartupError(`${file} is there already`);
}

/** The name is on the disk too. */
async function kept(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
