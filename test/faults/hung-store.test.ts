import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getOwnUser, uploadFile } from "@carillon/contract";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  channel,
  type Gateway,
  organization,
  refusedWith,
  s3Program,
  type S3Server,
  send,
  startGateway,
  startS3Server,
  type TestChannel,
  type TestOrganization,
  toChannel,
  upload,
  type Uploaded,
  useDatabase,
  waitFor,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

/** More than the process has threads for files. */
const readers = 40;

/** A store that a test can hang. */
interface HangingStore {
  readonly variables: Readonly<Record<string, string>>;
  /** Makes the reads of these objects hang. */
  hang(keys: readonly string[]): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** A folder whose objects become named pipes: opening one hangs until another process opens it for writing. */
async function hangingFolder(): Promise<HangingStore> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-hung-"));
  let pipes: string[] = [];
  return {
    variables: { FILES_DIR: folder },
    async hang(keys) {
      for (const key of keys) {
        const path = join(folder, key.charAt(0), key.charAt(1), key);
        await rename(path, `${path}-kept`);
        execFileSync("mkfifo", [path]);
        pipes.push(path);
      }
    },
    async recover() {
      for (const path of pipes) {
        // Lets hung calls of `open` return.
        const writer = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
        await rename(`${path}-kept`, path);
        await writer.close();
      }
      pipes = [];
    },
    close: () => rm(folder, { recursive: true }),
  };
}

/** An S3 server that is stopped. */
function hangingServer(server: S3Server): HangingStore {
  return {
    variables: server.variables,
    hang: async () => server.freeze(),
    recover: async () => server.thaw(),
    close: () => server.close(),
  };
}

const kinds = {
  "a disk": hangingFolder,
  S3: async (context: Mocha.Context) => {
    const program = s3Program();
    return program === undefined ? context.skip() : hangingServer(await startS3Server(program));
  },
};

// files.md §8
for (const [kind, make] of Object.entries(kinds))
  describe(`A gateway whose files are on ${kind} that hangs`, () => {
    const db = useDatabase();
    let store: HangingStore | undefined;
    let files: FileStore;
    let gateway: Gateway;
    let org: TestOrganization;
    let room: TestChannel;
    let begun = 0;
    let deletions = 0;

    before(async function () {
      store = await make(this);
      files = fileStoreFromEnvironment(readEnvironment(store.variables));
      const read = files.read.bind(files);
      files.read = (...args) => {
        begun++;
        return read(...args);
      };
      const remove = files.delete.bind(files);
      files.delete = (...args) => {
        deletions++;
        return remove(...args);
      };
      org = await organization(db);
      gateway = await startGateway(db, { files });
      room = await channel(db, org.member, { subscribers: [org.member] });
    });
    after(async () => {
      await gateway?.close();
      await files?.close();
      await store?.close();
    });

    it("answers reads and uploads with 503, serves everything else meanwhile, and recovers", async () => {
      const client = gateway.as(org.member);
      const uploads: Uploaded[] = [];
      for (let n = 0; n < readers; n++)
        uploads.push(await upload(client, `${n}.txt`, `content ${n}`));
      const rows = await db.prisma.attachment.findMany({ select: { objectKey: true } });
      await store?.hang(rows.map(({ objectKey }) => objectKey));
      let answered = 0;
      const reads = uploads.map(async ({ url }) => {
        const answer = await client.send("GET", url);
        answered++;
        return answer;
      });
      await waitFor(() => begun === readers, { what: "the reads have begun" });
      const file = { files: { "late.txt": new Blob(["late"]) } };
      const uploading = gateway.as(org.owner).call(uploadFile, file);
      try {
        await client.succeed(getOwnUser);
        const { events } = await watch(gateway, { events: { account: org.member } }, async () => {
          await send(client, toChannel(room.id, { content: "still here" }));
        });
        expect(events.map(({ type }) => type)).to.include("message");
        expect((await fetch(`${gateway.url}/health`)).status).to.equal(200);
        expect(answered, "reads that were answered earlier").to.equal(0);
        for (const answer of await Promise.all(reads))
          refusedWith(answer, "INTERNAL_ERROR", {}, 503);
        refusedWith(await uploading, "INTERNAL_ERROR", {}, 503);
        expect(await db.prisma.attachment.count()).to.equal(readers);
        // It would hang as long again.
        expect(deletions, "deletions for which the upload has waited").to.equal(0);
      } finally {
        await store?.recover();
      }
      await waitFor(() => files.check().then(() => true), { what: "the store works again" });
      for (const [n, { url }] of uploads.entries())
        expect((await client.send("GET", url)).text).to.equal(`content ${n}`);
      expect((await gateway.as(org.owner).call(uploadFile, file)).status).to.equal(200);
    });
  });
