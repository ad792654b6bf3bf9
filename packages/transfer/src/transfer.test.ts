import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { TransferReader, TransferWriter } from "./index.ts";

const source = { kind: "carillon", url: "https://old.example.com" };
const organization = { id: 7, name: "Old" };
const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("the format of an exported organization", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-transfer-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function written(): Promise<void> {
    const writer = await TransferWriter.open(folder, source);
    await writer.write("realms", [organization]);
    await writer.write("users", [
      { id: 1, full_name: "Ada", delivery_email: "ada@example.com" },
      { id: 2, full_name: "Bob", delivery_email: "bob@example.com", locale: "\\u0000" },
    ]);
    await writer.addFile({ sha256: sha256("hello"), size: 5 }, async () =>
      Readable.from([Buffer.from("hello")]),
    );
    await writer.finish();
  }

  /** Replaces a file of records, and updates the manifest accordingly. */
  async function replaced(table: string, bytes: Buffer | string, count = 1): Promise<void> {
    await writeFile(join(folder, `${table}.ndjson`), bytes);
    const path = join(folder, "manifest.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    const described = manifest.records.find(
      (one: { file: string }) => one.file === `${table}.ndjson`,
    );
    Object.assign(described, {
      count,
      bytes: Buffer.byteLength(bytes),
      sha256: sha256(Buffer.from(bytes)),
    });
    await writeFile(path, JSON.stringify(manifest));
  }

  async function readUsers(): Promise<unknown[]> {
    const reader = await TransferReader.open(folder);
    await reader.verify();
    const users = [];
    for await (const { record, line } of reader.records("users"))
      users.push([line, record.full_name]);
    return users;
  }

  it("reads what was written", async () => {
    await written();
    assert.deepEqual(await readUsers(), [
      [1, "Ada"],
      [2, "Bob"],
    ]);
    const reader = await TransferReader.open(folder);
    assert.deepEqual(reader.tables, ["realms", "users"]);
    const file = await reader.file({ sha256: sha256("hello"), size: 5 });
    assert.equal((await buffer(file)).toString(), "hello");
  });

  it("keeps the uploaded files of an unfinished export, and deletes its records", async () => {
    await written();
    await rm(join(folder, "manifest.json"));
    await writeFile(join(folder, "users.ndjson.part"), "{");
    const writer = await TransferWriter.open(folder, source);
    assert.deepEqual(await readdir(folder), ["files"]);
    const again = await writer.addFile({ sha256: sha256("hello"), size: 5 }, () => {
      throw new Error("was read again");
    });
    assert.equal(again, false);
  });

  it("keeps no file with other bytes than expected", async () => {
    const writer = await TransferWriter.open(folder, source);
    await assert.rejects(
      writer.addFile({ sha256: sha256("hello"), size: 5 }, async () =>
        Readable.from([Buffer.from("jello")]),
      ),
      /its source has other bytes/,
    );
    assert.deepEqual(await readdir(join(folder, "files")), []);
  });

  it("refuses a folder with a finished export, or with files of something else", async () => {
    await written();
    await assert.rejects(TransferWriter.open(folder, source), /already has a finished export/);
    await rm(join(folder, "manifest.json"));
    await writeFile(join(folder, "letter.txt"), "");
    await assert.rejects(
      TransferWriter.open(folder, source),
      /has letter.txt, which is not of an export/,
    );
  });

  it("deletes nothing in a folder that has something else", async () => {
    const refused = async (names: readonly string[], foreign: RegExp) => {
      for (const name of names) await writeFile(join(folder, name), "mine");
      await assert.rejects(TransferWriter.open(folder, source), foreign);
      for (const name of names)
        assert.equal(await readFile(join(folder, name), "utf8"), "mine", name);
    };
    await refused(["events.ndjson"], /has events.ndjson, which is not of an export/);
    assert.deepEqual(await readdir(folder), ["events.ndjson"]);
    await mkdir(join(folder, "files"));
    await refused(
      ["events.ndjson", "manifest.json.part", "film.mp4.part"],
      /has film.mp4.part, which is not of an export/,
    );
    await rm(join(folder, "film.mp4.part"));
    await refused(["events.ndjson", "z.txt"], /has z.txt, which is not of an export/);
  });

  const user = { id: 1, full_name: "Ada", delivery_email: "ada@example.com" };
  const line = JSON.stringify(user);
  for (const [what, bytes, problem] of [
    [
      "a line that is not UTF-8",
      Buffer.concat([Buffer.from(`${line}\n`), Buffer.from([0xff, 10])]),
      /^users.ndjson, line 2: is not UTF-8$/,
    ],
    ["a line that is not JSON", "{\n", /^users.ndjson, line 1: is not JSON$/],
    ["a line that is a list", "[]\n", /^users.ndjson, line 1: is not a JSON object$/],
    [
      "a NUL character",
      `{"id":1,"full_name":"\\u0000","delivery_email":"abc"}\n`,
      /^users.ndjson, line 1: has a NUL character$/,
    ],
    [
      "a record without a name",
      `{"id":1,"delivery_email":"abc"}\n`,
      /^users.ndjson, line 1: full_name: /,
    ],
    ["an id of 0", `${JSON.stringify({ ...user, id: 0 })}\n`, /^users.ndjson, line 1: id: /],
    ["a file that was cut off", line, /^users.ndjson, line 1: does not end/],
    [
      "a line of 17 MB",
      Buffer.alloc(17 * 1024 * 1024, " "),
      /^users.ndjson, line 1: has more than 16777216 bytes$/,
    ],
    ["fewer records than the manifest says", "", /^users.ndjson: has 0 records instead of 1/],
  ] as const)
    it(`refuses ${what}`, async () => {
      await written();
      await replaced("users", bytes);
      await assert.rejects(
        readUsers(),
        ({ message }: Error) => problem.test(message) || assert.fail(message),
      );
    });

  it("refuses files that changed after the export", async () => {
    await written();
    const path = join(folder, "users.ndjson");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace("Ada", "Eve"));
    await assert.rejects(readUsers(), /^Error: users.ndjson: has another SHA-256/);
    await writeFile(join(folder, "files", sha256("hello")), "jello");
    const reader = await TransferReader.open(folder);
    const file = await reader.file({ sha256: sha256("hello"), size: 5 });
    await assert.rejects(buffer(file), /has another SHA-256 than its name says/);
  });

  it("refuses a symbolic link", async () => {
    await written();
    await rm(join(folder, "users.ndjson"));
    await symlink("/etc/passwd", join(folder, "users.ndjson"));
    await assert.rejects(readUsers(), /users.ndjson: is a symbolic link/);
  });

  for (const [what, change, problem] of [
    ["of an unknown format", { format: 2 }, /has format 2, and this version reads format 1/],
    [
      "with a path that leads out of the folder",
      { records: [{ file: "../users.ndjson", count: 0, bytes: 0, sha256: sha256("") }] },
      /records.0.file/,
    ],
    [
      "that names a file twice",
      {
        records: [1, 2].map(() => ({
          file: "users.ndjson",
          count: 0,
          bytes: 0,
          sha256: sha256(""),
        })),
      },
      /names users.ndjson twice/,
    ],
    [
      "with an address that has a path",
      { source: { kind: "x", url: "https://a.example/b" } },
      /source.url/,
    ],
  ] as const)
    it(`refuses a manifest ${what}`, async () => {
      await written();
      const path = join(folder, "manifest.json");
      const manifest = JSON.parse(await readFile(path, "utf8"));
      await writeFile(path, JSON.stringify({ ...manifest, ...change }));
      await assert.rejects(TransferReader.open(folder), problem);
    });

  it("refuses an unfinished export", async () => {
    await TransferWriter.open(folder, source);
    await assert.rejects(
      TransferReader.open(folder),
      /has no manifest.json: the export is unfinished/,
    );
  });
});
