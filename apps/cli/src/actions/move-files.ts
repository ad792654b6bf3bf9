import { Readable } from "node:stream";
import { connectDatabase } from "@carillon/db";
import { type FileStore, fileStoreFromEnvironment, newObjectKey } from "@carillon/files";
import { counted, sizeText, StartupError } from "@carillon/kit";

import type { Context } from "../context.ts";
import { alone } from "../files/alone.ts";
import { describeFaulty } from "../files/describe.ts";
import { countObjects } from "../files/listed-objects.ts";
import { ObjectMover } from "../files/object-mover.ts";
import { openOtherStore, type StoreOptions } from "../files/other-store.ts";
import { withInstallation } from "../installation.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends StoreOptions {
  readonly verify?: boolean;
  readonly deleteSource?: boolean;
}

/** Milliseconds between two lines of progress. */
const progressMs = 5_000;

/**
 * Copies all uploaded files between the store that the environment variables name and another one.
 * @throws StartupError also when the source lacks files
 */
export async function moveFiles(context: Context, options: Options): Promise<void> {
  const { verify = false, deleteSource = false } = options;
  const other = await openOtherStore(options);
  if (deleteSource && !other.isSource)
    throw new UsageError(
      "--delete-source needs --from-folder or --from-bucket: the source is the store that the processes use",
    );
  await withInstallation(context, async ({ env, databaseUrl }) => {
    const own = fileStoreFromEnvironment(env);
    const [source, target] = other.isSource ? [other.store, own] : [own, other.store];
    const db = await connectDatabase(databaseUrl, { max: 2, name: "command" });
    try {
      await alone(databaseUrl, async () => {
        await checkDistinct(source, target);
        const total = await countObjects(db);
        const mover = new ObjectMover(db, source, target, { verify, deleteSource });
        await withProgress(context, mover, total);
        report(context, mover, { source, target });
      });
    } finally {
      await db.close();
      await Promise.all([own.close(), other.store.close()]);
    }
  });
}

/**
 * Checks that source and target are different stores, by an object that it stores in the target.
 * @throws UsageError if they are the same store; StorageUnavailable if the target cannot be written
 */
async function checkDistinct(source: FileStore, target: FileStore): Promise<void> {
  const key = newObjectKey();
  try {
    await target.put(key, Readable.from([Buffer.from("Carillon")], { objectMode: false }));
    if (await source.stat(key))
      throw new UsageError(`source and target are the same store, ${source.about}`);
  } finally {
    await target.delete([key]).catch(() => {});
  }
}

async function withProgress(
  { terminal }: Context,
  mover: ObjectMover,
  total: number,
): Promise<void> {
  const timer = setInterval(() => {
    const { examined, copied, copiedBytes } = mover;
    terminal.note(
      `${examined} of ${total} files examined, ${copied} copied (${sizeText(copiedBytes)})`,
    );
  }, progressMs);
  try {
    await mover.run();
  } finally {
    clearInterval(timer);
  }
}

/** Prints how many files were copied and deleted. @throws StartupError if files are missing or changed */
function report(
  { terminal }: Context,
  { present, copied, copiedBytes, deleted, faulty }: ObjectMover,
  { source, target }: { readonly source: FileStore; readonly target: FileStore },
): void {
  terminal.say(
    `Copied ${counted(copied, "file")} (${sizeText(copiedBytes)}) to the store ${target.about}; already there: ${present}.`,
  );
  if (deleted > 0)
    terminal.say(`Deleted ${counted(deleted, "file")} from the store ${source.about}.`);
  if (faulty.count > 0)
    throw new StartupError(
      `files that are missing from the store ${source.about} or damaged: ${describeFaulty(faulty)}`,
    );
}
