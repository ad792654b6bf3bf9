import type { S3Config } from "./config.ts";
import type { S3Requests } from "./requests.ts";
import { codeOf } from "./s3-errors.ts";

/** Error codes of servers that cannot list unfinished uploads, or forbid it to this key. */
const notListable = new Set(["NotImplemented", "AccessDenied", "MethodNotAllowed"]);

/**
 * Deletes objects, and aborts unfinished multipart uploads of the same paths if the server lists them. Ignores missing
 * objects.
 */
export async function deleteObjects(
  requests: S3Requests,
  { bucket: Bucket }: S3Config,
  paths: readonly string[],
  limitMs: number,
): Promise<void> {
  if (paths.length === 0) return;
  for (const { Key, UploadId } of await unfinished(requests, Bucket, new Set(paths), limitMs))
    await requests.make(
      (client, { AbortMultipartUploadCommand: Abort }, options) =>
        client.send(new Abort({ Bucket, Key, UploadId }), options),
      limitMs,
    );
  const Objects = paths.map((Key) => ({ Key }));
  const { Errors = [] } = await requests.make(
    (client, { DeleteObjectsCommand: Delete }, options) =>
      client.send(new Delete({ Bucket, Delete: { Objects, Quiet: true } }), options),
    limitMs,
  );
  const [first] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
  if (first) {
    const failure = new Error(first.Message ?? "an object cannot be deleted");
    throw Object.assign(failure, { name: first.Code ?? "Error" });
  }
}

interface Unfinished {
  readonly Key: string;
  readonly UploadId: string;
}

async function unfinished(
  requests: S3Requests,
  Bucket: string,
  paths: ReadonlySet<string>,
  limitMs: number,
): Promise<Unfinished[]> {
  const found: Unfinished[] = [];
  let marker: Marker = {};
  for (;;) {
    const page = await listPage(requests, Bucket, marker, limitMs);
    for (const { Key, UploadId } of page?.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined && paths.has(Key))
        found.push({ Key, UploadId });
    if (!page?.IsTruncated) return found;
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

interface Marker {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

/** Returns a page of the bucket's unfinished uploads; undefined if the server does not list them. */
async function listPage(requests: S3Requests, Bucket: string, marker: Marker, limitMs: number) {
  try {
    return await requests.make(
      (client, { ListMultipartUploadsCommand: List }, options) =>
        client.send(new List({ Bucket, ...marker }), options),
      limitMs,
    );
  } catch (error) {
    if (notListable.has(codeOf(error))) return undefined;
    throw error;
  }
}
