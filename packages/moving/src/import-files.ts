import {
  contentTypeOf,
  mediaTypeOf,
  newPathId,
  recordImportedThumbnails,
  reserveObjects,
  sniffedBytes,
} from "@carillon/domain";
import { newObjectKey } from "@carillon/files";
import { imageTypeOf } from "@carillon/images";
import type { AttachmentRecord, Content, NumberedRecord } from "@carillon/transfer";

import { ask, inTransaction } from "./connect.ts";
import { insertRows } from "./insert-rows.ts";
import { type Importing, mapRecords } from "./import-records.ts";
import { inSlicesOf, recordPlace } from "./journal.ts";

/** The bytes of a record in the file store. */
interface Stored {
  readonly key: string;
  /** The first bytes. */
  readonly head: Buffer;
}

/**
 * Copies a file into the store. Its object is unused until a row names it; unused objects are deleted after a day.
 */
async function storeFile(of: Importing, content: Content): Promise<Stored> {
  const key = newObjectKey();
  await reserveObjects(of.db, [key]);
  const source = await of.reader.file(content);
  const heads: Buffer[] = [];
  let length = 0;
  source.on("data", (bytes: Buffer) => {
    if (length < sniffedBytes) heads.push(bytes);
    length += bytes.length;
  });
  await of.files.put(key, source);
  return { key, head: Buffer.concat(heads).subarray(0, sniffedBytes) };
}

async function useObjects({ client }: Importing, keys: readonly string[]): Promise<void> {
  const rows = await ask(
    client,
    "UPDATE stored_objects SET delete_after = NULL WHERE key = ANY($1::text[]) AND delete_after > clock_timestamp() RETURNING key",
    [keys],
  );
  if (rows.length < keys.length) throw new Error("an imported file was deleted meanwhile");
}

/** Stores the files of records one after the other: one that is being read takes little memory. */
async function storeAll(
  of: Importing,
  records: readonly NumberedRecord[],
): Promise<Map<number, Stored>> {
  const stored = new Map<number, Stored>();
  for (const { record, line } of records)
    stored.set(line, await storeFile(of, record as unknown as Content));
  return stored;
}

/** Imports uploaded files, whose paths begin with the organization's new id. */
export async function importAttachments(of: Importing, step: string, after: number): Promise<void> {
  await inSlicesOf(of, { table: "attachments", step, after }, async (records) => {
    const stored = await storeAll(of, records);
    const paths = records.map(({ record }) => {
      const { path_id: old, name } = record as AttachmentRecord;
      return { old, path: newPathId(of.realmId, name) };
    });
    await ask(
      of.client,
      `INSERT INTO import_paths (import_id, old_path, new_path) SELECT $1, * FROM unnest($2::text[], $3::text[])`,
      [of.id, paths.map(({ old }) => old), paths.map(({ path }) => path)],
    );
    const mapped = await mapRecords(of, "attachments", records);
    const rows = [];
    const images: number[] = [];
    for (const { row, line } of mapped) {
      const { key, head } = stored.get(line)!;
      const { record } = records.find((one) => one.line === line)!;
      const { name, content_type: given } = record as AttachmentRecord;
      const type = await contentTypeOf(given, name, head);
      const image = imageTypeOf(head);
      if (image !== undefined && mediaTypeOf(type) === image) images.push(Number(row["id"]));
      rows.push({ ...row, realm_id: of.realmId, object_key: key, content_type: type });
    }
    await insertRows(of.client, "attachments", rows, { columns: of.columns.get("attachments")! });
    await useObjects(
      of,
      rows.map(({ object_key: key }) => key),
    );
    await ask(of.client, "INSERT INTO images (attachment_id) SELECT unnest($1::int[])", [images]);
  });
}

/** Imports avatars, icons, logos and the pictures of emoji. */
export async function importPictures(of: Importing, step: string, after: number): Promise<void> {
  await inSlicesOf(of, { table: "pictures", step, after }, async (records) => {
    const stored = await storeAll(of, records);
    const rows = (await mapRecords(of, "pictures", records)).map(({ row, line }) => ({
      ...row,
      realm_id: of.realmId,
      object_key: stored.get(line)!.key,
      replaced_at: null,
    }));
    await insertRows(of.client, "pictures", rows, { columns: of.columns.get("pictures")! });
    await useObjects(
      of,
      rows.map(({ object_key: key }) => key),
    );
  });
}

/** Pictures whose jobs one transaction records. */
const thumbnailsAtOnce = 500;

/** Lets workers make the thumbnails of pictures while messages are imported. */
export async function recordThumbnails(of: Importing, step: string, after: number): Promise<void> {
  for (let last: number | undefined = after; last !== undefined;) {
    const from: number = last;
    last = await of.db.transaction((tx) =>
      recordImportedThumbnails(tx, of.realmId, from, thumbnailsAtOnce),
    );
    const line = last ?? from;
    await inTransaction(of.client, () => recordPlace(of, { step, line }));
  }
}
