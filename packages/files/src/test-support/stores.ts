import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "@carillon/kit";
import { s3Program, startS3Server } from "@carillon/testkit";
import { ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";

import { fileStoreFromEnvironment } from "../choose.ts";
import type { FileStore } from "../store.ts";

export const storeKinds = ["disk", "s3"] as const;
export type StoreKind = (typeof storeKinds)[number];

/** An empty store for one suite. */
export interface TestFileStore {
  readonly store: FileStore;
  /** Returns what an unfinished upload to a path has left: its multipart uploads; on disk, the temporary files of all paths. */
  leftovers(path: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Creates an empty store. Skips the suite, visibly, if there is no S3 server. */
export async function openFileStore(
  kind: StoreKind,
  context: { skip(): never },
): Promise<TestFileStore> {
  return kind === "disk" ? diskForTests() : s3ForTests(context);
}

async function diskForTests(): Promise<TestFileStore> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-files-"));
  const store = fileStoreFromEnvironment(readEnvironment({ FILES_DIR: folder }));
  return {
    store,
    leftovers: () => readdir(join(folder, "tmp")),
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function s3ForTests(context: { skip(): never }): Promise<TestFileStore> {
  const server = await startS3Server(s3Program() ?? context.skip());
  const store = fileStoreFromEnvironment(readEnvironment(server.variables));
  return {
    store,
    leftovers: (path) => unfinishedUploads(server.variables, [path]),
    async close() {
      await store.close();
      await server.close();
    },
  };
}

/**
 * Returns the unfinished multipart uploads to the given paths. Not of all paths: versitygw begins an aborted upload again if
 * a part of it arrives late, which can be after the test that aborted it.
 */
export async function unfinishedUploads(
  variables: Readonly<Record<string, string>>,
  paths: readonly string[],
): Promise<string[]> {
  const client = new S3Client({
    endpoint: variables["S3_ENDPOINT"] ?? "",
    region: "us-east-1",
    forcePathStyle: true,
    credentials: {
      accessKeyId: variables["S3_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: variables["S3_SECRET_ACCESS_KEY"] ?? "",
    },
  });
  const Bucket = variables["S3_BUCKET"];
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  client.destroy();
  return Uploads.map(({ Key }) => String(Key)).filter((path) => paths.includes(path));
}
