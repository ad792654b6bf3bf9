import { randomBytes } from "node:crypto";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expireResumable } from "@carillon/domain";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  type Gateway,
  organization,
  refusedByTus,
  refusedWith,
  s3Program,
  type S3Server,
  startGateway,
  startS3Server,
  type TestOrganization,
  useDatabase,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { gate } from "./support/blockers.ts";
import { TusClient } from "./support/tus-client.ts";

const content = randomBytes(3_000_000);

for (const kind of ["disk", "s3"] as const)
  describe(`Resumable uploads and faults, with files on ${kind}`, function () {
    const db = useDatabase();
    let org: TestOrganization;
    let folder: string;
    let s3: S3Server | undefined;
    let files: FileStore;
    let first: Gateway;
    let second: Gateway;
    const tus = new TusClient(db, content, () => org.member);

    before(async function () {
      folder = join(await mkdtemp(join(tmpdir(), "carillon-tus-")), "files");
      let variables: Readonly<Record<string, string>> = { FILES_DIR: folder };
      if (kind === "s3") {
        const program = s3Program();
        if (program === undefined) return this.skip();
        s3 = await startS3Server(program);
        ({ variables } = s3);
      }
      org = await organization(db);
      files = fileStoreFromEnvironment(readEnvironment(variables));
      first = await startGateway(db, { files });
      second = await startGateway(db, { files });
    });
    afterEach(() => tus.close());
    after(async () => {
      await first?.close();
      await second?.close();
      await files?.close();
      await s3?.close();
      await rm(join(folder, ".."), { recursive: true });
    });

    it("keep the bytes that had arrived when the connection broke, wherever it did", async () => {
      for (const sent of [1, 60_000, 70_000, 1_000_000, content.length - 1]) {
        const path = await tus.begin(first);
        const { socket } = tus.beginPatch(first, path, 0, sent);
        await tus.leased(path);
        socket.end();
        await tus.released(path);
        const offset = await tus.offsetOf(first, path);
        expect(offset).to.equal(sent);
        await tus.finish(second, path);
      }
    });

    it("keep the bytes that had arrived when the connection broke before the first was read", async () => {
      const path = await tus.begin(first);
      const { socket } = await db.prisma.$transaction(async (tx) => {
        await tx.$executeRaw`LOCK TABLE resumable_parts`;
        const begun = tus.beginPatch(first, path, 0, 1_000);
        await tus.leased(path);
        begun.socket.end();
        await waitFor(() => begun.socket.closed, { what: "the gateway has closed the connection" });
        return begun;
      });
      expect(socket.bytesWritten).to.be.above(1_000);
      await tus.released(path);
      expect(await tus.offsetOf(first, path)).to.equal(1_000);
      await tus.finish(second, path);
    });

    it("keep the bytes of a body that stops, and refuse it with 408", async () => {
      // Its own gateway: a body of another test may stop for as long on a busy machine.
      const impatient = await startGateway(db, { files, app: { bodyIdleMs: 300 } });
      try {
        const path = await tus.begin(first);
        const seen = tus.beginPatch(impatient, path, 0, 100_000);
        await waitFor(() => seen.text.startsWith("HTTP/1.1 408 "), { what: "the answer is 408" });
        expect(await tus.offsetOf(first, path)).to.equal(100_000);
        await tus.finish(second, path);
      } finally {
        await impatient.close();
      }
    });

    it("have one writer at a time, on all gateways", async () => {
      const path = await tus.begin(first);
      const { socket } = tus.beginPatch(first, path, 0, 100_000);
      await tus.leased(path);
      for (const by of [first, second]) {
        refusedByTus(await tus.patch(by, path, 0, 10), 423);
        refusedByTus(await tus.send(by, "DELETE", path, {}), 423);
      }
      expect(await tus.offsetOf(first, path)).to.equal(0);
      socket.end();
      await tus.released(path);
      await tus.finish(second, path);
    });

    it("are changed by no request that has lost its lease", async () => {
      const path = await tus.begin(first);
      const slow = tus.beginPatch(first, path, 0, 100_000);
      await tus.leased(path);
      // As if the process had been stopped for longer than the lease lasts.
      await db.rows("UPDATE resumable_uploads SET lease_until = now() - interval '1 second'");
      expect((await tus.patch(second, path, 0, 200_000)).status).to.equal(204);
      slow.socket.write(content.subarray(100_000));
      await waitFor(() => slow.text.startsWith("HTTP/1.1 423 "), { what: "the answer is 423" });
      expect(await tus.offsetOf(first, path)).to.equal(200_000);
      await tus.finish(second, path);
    });

    it("store one file when the last bytes are sent twice at once", async () => {
      const path = await tus.begin(first);
      const before = await db.prisma.attachment.count();
      const answers = await Promise.all([first, second].map((by) => tus.patch(by, path, 0)));
      expect(answers.map(({ status }) => status)).to.include(200);
      for (const { status } of answers) expect([200, 409, 423]).to.include(status);
      expect(await db.prisma.attachment.count()).to.equal(before + 1);
      expect(await tus.offsetOf(first, path)).to.equal(content.length);
    });

    it("answer the last bytes again when their answer was lost", async () => {
      const path = await tus.begin(first);
      const held = await gate(db, "INSERT ON attachments");
      const seen = tus.beginPatch(first, path, 0, content.length);
      try {
        await waitFor(async () => (await held.waiting()) === 1, { what: "the row is written" });
        expect(await tus.offsetOf(first, path)).to.equal(0);
        seen.socket.destroy();
      } finally {
        await held.finish();
      }
      await tus.released(path);
      expect(await tus.offsetOf(first, path)).to.equal(content.length);
      const again = await tus.patch(first, path, content.length);
      expect([again.status, again.body["filename"]]).to.deep.equal([200, "uploaded-file"]);
    });

    it("are refused while the store is away, and continue from the same offset", async () => {
      const path = await tus.begin(first);
      await tus.patch(first, path, 0, 100_000);
      if (s3) await s3.kill();
      else await rename(folder, `${folder}-away`);
      try {
        refusedWith(await tus.patch(first, path, 100_000), "INTERNAL_ERROR", {}, 503);
        expect(await tus.offsetOf(first, path)).to.equal(100_000);
      } finally {
        if (s3) await s3.start();
        else await rename(`${folder}-away`, folder);
      }
      await tus.finish(second, path);
    });

    it("leave objects to the ledger, which deletes them within 25 hours", async () => {
      const used = async () =>
        db.rows<{ left: number }>(
          "SELECT count(*)::int AS left FROM stored_objects WHERE delete_after > now() + interval '24 hours 30 minutes'",
        );
      const path = await tus.begin(first);
      await tus.patch(first, path, 0, 100_000);
      await tus.patch(first, path, 100_000, 200_000);
      const id = path.split("/").at(-1) ?? "";
      await db.rows(
        "UPDATE resumable_uploads SET created_at = now() - interval '25 hours' WHERE id = $1",
        [id],
      );
      expect(await expireResumable(db, 10)).to.equal(1);
      expect(await db.prisma.resumablePart.count({ where: { uploadId: id } })).to.equal(0);
      expect(await used()).to.deep.equal([{ left: 0 }]);
    });
  });
