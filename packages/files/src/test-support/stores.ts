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
  /** Returns what unfinished calls of `put` have left: names of temporary files, or paths of multipart uploads. */
  leftovers(): Promise<string[]>;
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
    leftovers: () => unfinishedUploads(server.variables),
    async close() {
      await store.close();
      await server.close();
    },
  };
}

/** Returns the paths of unfinished multipart uploads. */
export async function unfinishedUploads(
  variables: Readonly<Record<string, string>>,
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
  return Uploads.map(({ Key }) => String(Key));
}
