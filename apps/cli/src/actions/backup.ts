import { createWriteStream } from "node:fs";
import { access, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { type Backup, type BackupOptions, writeBackup } from "@carillon/backup";
import { filesFolder, fileStoreFromEnvironment, type FileStore } from "@carillon/files";
import { bouncerMigrations } from "@carillon/push";
import { counted, type Environment, sizeText, StartupError } from "@carillon/kit";

import type { Context } from "../context.ts";
import { reserveFile } from "../credentials.ts";
import { describeFaulty } from "../files/describe.ts";
import { withBouncerDatabase, withInstallation } from "../installation.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly bouncer?: boolean;
  /** True with `--files`, false with `--without-files`. */
  readonly files?: boolean;
  readonly withoutFiles?: boolean;
}

/**
 * Writes a backup. A file gets its name only when it is complete.
 * @throws StartupError also when the store lacks files: the backup then has everything else
 */
export async function backUp(context: Context, file: string, options: Options = {}): Promise<void> {
  const { terminal } = context;
  const { bouncer = false } = options;
  checkOptions(options);
  if (file === "-" && terminal.shown)
    throw new UsageError("standard output is a terminal: name a file, or redirect it into one");
  if (file !== "-") await checkIsFree(file);
  const write = (databaseUrl: string, backupOptions: BackupOptions) => {
    const into = (target: Writable) => writeBackup(databaseUrl, target, backupOptions);
    return file === "-" ? into(terminal.output) : intoFile(context, file, into);
  };
  const { tables, rows, files } = await (bouncer
    ? withBouncerDatabase(context, (databaseUrl) => write(databaseUrl, { set: bouncerMigrations }))
    : withInstallation(context, ({ databaseUrl, env }) =>
        withFiles(env, options, (source) => write(databaseUrl, { files: source })),
      ));
  const fileText = files ? ` and ${counted(files.objects, "file")} (${sizeText(files.bytes)})` : "";
  const without = files || bouncer ? "" : " Uploaded files are not included.";
  terminal.note(
    `Backed up ${counted(rows, "row")} of ${counted(tables, "table")}${fileText}.${without} SECRET_KEY is not included.`,
  );
  if (files && files.faulty.count > 0)
    throw new StartupError(
      `the backup is complete except for uploaded files that are missing from the store or damaged: ${describeFaulty(files.faulty)}`,
    );
}

/** Throws UsageError when options contradict each other. */
function checkOptions({ bouncer, files, withoutFiles }: Options): void {
  if (files && withoutFiles) throw new UsageError("--files and --without-files are both given");
  if (bouncer && (files || withoutFiles))
    throw new UsageError("a push bouncer has no uploaded files: leave out the option");
}

/** Runs `work` with a function that opens the file store, or with undefined if files are left out. */
async function withFiles<Result>(
  env: Environment,
  { files = false, withoutFiles = false }: Options,
  work: (open: BackupOptions["files"]) => Promise<Result>,
): Promise<Result> {
  const folder = filesFolder(env);
  if (withoutFiles || (folder === undefined && !files)) return work(undefined);
  let store: FileStore | undefined;
  const open = async () => {
    if (folder !== undefined) await checkIsThere(folder);
    return (store = fileStoreFromEnvironment(env));
  };
  try {
    return await work(open);
  } finally {
    await store?.close();
  }
}

/** Throws StartupError when the folder of uploaded files does not exist, because a store would create it. */
async function checkIsThere(folder: string): Promise<void> {
  try {
    await access(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `FILES_DIR ${folder} cannot be read (${code}): run this where the uploaded files are, or leave them out by --without-files`,
    );
  }
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
      ).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOSPC" && error.code !== "EDQUOT") throw error;
        throw new StartupError(`the disk of ${file} is full (${error.code})`);
      });
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

/** Throws StartupError when the file exists, so that no older backup is lost. */
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
