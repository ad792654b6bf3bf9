import type { Database } from "@carillon/db";
import {
  claimUnused,
  dropPreviews,
  finishImage,
  forgetObjects,
  imageOf,
  type ImageOutcome,
  rewritePreviews,
  type ThumbnailFormat,
  thumbnailsOf,
} from "@carillon/domain";
import { type FileStore, ObjectMissing } from "@carillon/files";
import { makeImages } from "@carillon/images";
import { thumbnail } from "@carillon/jobs";
import { recordIntents } from "@carillon/outbox";

import { callProcessor, type Calling } from "../intent-processor.ts";
import { storeBytes } from "../store-bytes.ts";
import { Interrupted, yieldToRequests } from "../yield-to-requests.ts";

/** How many decoders may take too long with a picture before it counts as not decodable. */
const maxTimeouts = 3;

/** `behind` of a job that tries a slow picture again: requests and all first attempts run before it. */
const behindAll = 1_000;

/**
 * Makes the thumbnails of an uploaded picture, then replaces its placeholders in messages (files.md §5). If the thumbnails
 * already exist, only replaces placeholders. If there are many, another job continues. If the picture was deleted, removes
 * the placeholders.
 */
export default callProcessor(thumbnail, async (db, { id, realmId, payload }, calling) => {
  const { attachmentId, after = 0, timeouts = 0, deleted } = payload;
  if (deleted) {
    await dropPreviews(db, realmId, deleted);
    return undefined;
  }
  const image = await imageOf(db, realmId, attachmentId);
  if (!image) return undefined;
  if (image.state === "pending") {
    const isLast = timeouts + 1 >= maxTimeouts;
    const outcome = await makeThumbnails(db, attachmentId, image.objectKey, { ...calling, isLast });
    if (outcome) {
      const counted = outcome === "tooSlow" ? timeouts + 1 : timeouts;
      const again = { attachmentId, ...(counted > 0 && { timeouts: counted }), behind: behindAll };
      const intent = { key: `${attachmentId}-slow-${id}`, payload: again };
      return (tx) => recordIntents(tx, realmId, thumbnail, [intent]);
    }
  }
  const next = await rewritePreviews(db, realmId, attachmentId, after);
  if (next === undefined) return undefined;
  const continuation = {
    key: `${attachmentId}-after-${id}`,
    payload: { attachmentId, after: next },
  };
  return (tx) => recordIntents(tx, realmId, thumbnail, [continuation]);
});

/** Makes and stores the thumbnails, or records that there are none. @returns why another job must try again, if one must */
async function makeThumbnails(
  db: Database,
  attachmentId: number,
  objectKey: string,
  { files, signal, log, isLast }: Calling & { readonly isLast: boolean },
): Promise<"tooSlow" | "interrupted" | undefined> {
  const made = await yieldToRequests(db, signal, (ending) =>
    makeImages(async () => (await files.get(objectKey, { signal: ending })).stream, thumbnailsOf, {
      signal: ending,
    }),
  ).catch((error: unknown) => {
    if (error instanceof Interrupted) return { made: false, reason: "interrupted" } as const;
    // The file was deleted more than a day ago, or its store was replaced.
    if (error instanceof ObjectMissing) return { made: false, reason: "missing" } as const;
    throw error;
  });
  if (!made.made) {
    if (made.reason === "interrupted") return "interrupted";
    if (made.reason === "tooSlow" && !isLast) return "tooSlow";
    log.info({ attachmentId, reason: made.reason }, "uploaded image has no thumbnails");
    await db.transaction((tx) => finishImage(tx, attachmentId, { state: "refused" }));
    return undefined;
  }
  const { width, height, frames } = made;
  const formats: ThumbnailFormat[] = [];
  for (const rendition of thumbnailsOf(made)) {
    const bytes = made.files.get(rendition.name);
    if (!bytes) throw new Error(`the thumbnail ${rendition.name} was not made`);
    const { key, size, sha256 } = await storeBytes(db, files, bytes, signal);
    formats.push({
      name: rendition.name,
      width: rendition.width,
      animated: rendition.animated,
      key,
      size,
      sha256: sha256.toString("base64url"),
    });
  }
  const outcome: ImageOutcome = { state: "made", width, height, frames, formats };
  const isStored = await db.transaction((tx) => finishImage(tx, attachmentId, outcome));
  if (!isStored)
    await discard(
      db,
      files,
      formats.map(({ key }) => key),
    );
  return undefined;
}

/** Deletes objects that no committed transaction uses. After a failure `delete-objects` deletes them, a day later. */
async function discard(db: Database, files: FileStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if (!(await claimUnused(db, key))) continue;
    await files.delete([key]);
    await forgetObjects(db, [key]);
  }
}
