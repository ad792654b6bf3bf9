import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  channel,
  organization,
  pastMessages,
  pngPicture,
  testFiles,
  testSite,
  useDatabase,
} from "@carillon/testkit";
import { TransferWriter } from "@carillon/transfer";
import { expect } from "chai";

import { giveUpImport } from "./give-up-import.ts";
import { importOrganization, type ImportOptions } from "./import-organization.ts";

describe("an import that is given up", () => {
  const db = useDatabase();
  let parent: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "carillon-given-up-"));
  });
  after(() => rm(parent, { recursive: true, force: true }));

  /** Writes an export with a picture, and imports it as far as its messages. */
  async function begun(subdomain: string): Promise<ImportOptions> {
    const folder = join(parent, subdomain);
    const bytes = pngPicture(20, 20);
    const content = {
      sha256: createHash("sha256").update(bytes).digest("hex"),
      size: bytes.length,
    };
    const writer = await TransferWriter.open(folder, { kind: "slack" });
    await writer.addFile(content, async () => Readable.from([bytes]));
    await writer.write("realms", [{ id: 9, name: "Given up" }]);
    await writer.write("users", [{ id: 1, full_name: "Ada", delivery_email: "ada@example.com" }]);
    await writer.write("channels", [{ id: 5, name: "general" }]);
    await writer.write("attachments", [
      { id: 1, owner_id: 1, path_id: "1/cat.png", name: "cat.png", ...content },
    ]);
    const message = { sender_id: 1, channel_id: 5, topic: "t", sent_at: "2020-01-01T00:00:00Z" };
    await writer.write(
      "messages",
      [1, 2, 3].map((id) => ({ ...message, id, content: "hi", copies: [[1, 1]] })),
    );
    await writer.finish();
    const options = {
      databaseUrl: db.url,
      db,
      site: testSite(),
      folder,
      subdomain,
      key: undefined,
      files: testFiles(),
    };
    const progress = (step: string) => {
      if (step === "messages") throw new Error("broken off");
    };
    await importOrganization({ ...options, progress }).catch(() => {});
    return options;
  }

  it("lets the file store delete its thumbnails, and keeps messages of other organizations", async () => {
    const org = await organization(db);
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    await pastMessages(db, room, org.member, { count: 5 });
    const options = await begun("pictures");
    await pastMessages(db, room, org.member, { count: 5 });
    await db.rows("INSERT INTO stored_objects (key, delete_after) VALUES ('a-thumbnail', NULL)");
    await db.rows(
      `UPDATE images SET state = 'made', formats = '[{"key": "a-thumbnail"}]' WHERE attachment_id = (SELECT max(id) FROM attachments)`,
    );
    await giveUpImport(db.url, options);
    const left = await db.rows("SELECT key FROM stored_objects WHERE delete_after IS NULL");
    expect(left).to.deep.equal([]);
    expect(await db.rows("SELECT FROM messages")).to.have.length(10);
    expect(await db.rows("SELECT FROM user_messages")).to.have.length(10);
  });

  it("is not gone on with after its deletion was broken off", async () => {
    const options = await begun("broken");
    await db.rows("UPDATE organization_imports SET step = 'discard' WHERE subdomain = 'broken'");
    const error = await importOrganization(options).catch(String);
    expect(error).to.match(/deletion of this unfinished import was broken off.*--discard/);
    await giveUpImport(db.url, options);
    expect(await db.rows("SELECT FROM organization_imports")).to.have.length(0);
  });
});
