import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Backup, writeBackup } from "@carillon/backup";

import type { Context } from "../context.ts";
import { reserveFile } from "../credentials.ts";
import { onInstallation } from "../installation.ts";

/** Writes a backup; a file appears under its name when it is whole. */
export async function backUp(context: Context, file: string): Promise<void> {
  const { tables, rows } = await onInstallation(context, ({ databaseUrl }) =>
    file === "-" ? writeBackup(databaseUrl, context.terminal.output) : intoFile(databaseUrl, file),
  );
  context.terminal.note(
    `Backed up ${rows} rows of ${tables} tables. SECRET_KEY is not among them.`,
  );
}

async function intoFile(databaseUrl: string, file: string): Promise<Backup> {
  await reserveFile(file);
  const part = `${file}.part`;
  try {
    await reserveFile(part);
    const made = await writeBackup(
      databaseUrl,
      createWriteStream(part, { flush: true, mode: 0o600 }),
    );
    await rename(part, file);
    await kept(dirname(file));
    return made;
  } catch (error) {
    await Promise.all([part, file].map((path) => rm(path, { force: true })));
    throw error;
  }
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
