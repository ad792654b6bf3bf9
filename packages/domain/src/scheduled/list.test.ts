import type { ScheduledMessageResource } from "@carillon/contract";
import { PagedList } from "@carillon/db";
import {
  channel,
  countQueries,
  organization,
  scheduledMessage,
  useDatabase,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { listScheduled, scheduledListing } from "./list.ts";

describe("a long list of scheduled messages", () => {
  const db = useDatabase();

  /** @returns an account with so many messages, a second apart */
  async function withMessages(size: number): Promise<TestAccount> {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
    await db.rows(
      `INSERT INTO scheduled_messages OVERRIDING SYSTEM VALUE
       SELECT (jsonb_populate_record(s, jsonb_build_object(
         'id', nextval(pg_get_serial_sequence('scheduled_messages', 'id')),
         'deliver_at', s.deliver_at + make_interval(secs => n)))).*
       FROM scheduled_messages s, generate_series(1, $2::int) AS n WHERE s.id = $1`,
      [id, size - 1],
    );
    return member;
  }
  const begin = async (account: TestAccount) => {
    const list = await db.transaction((tx) => listScheduled(tx, scheduledListing, account.id));
    if (!(list instanceof PagedList)) throw new Error("the list fits into a page");
    return list;
  };
  const idsOf = (records: ReadonlyArray<{ scheduled_message_id: number }>) =>
    records.map((record) => record.scheduled_message_id);

  it("is that of one moment, a statement a page, where nothing changes", async () => {
    const account = await withMessages(401);
    const rows = await db.rows<{ id: number }>(
      "SELECT id::int FROM scheduled_messages WHERE sender_id = $1 ORDER BY deliver_at, id",
      [account.id],
    );
    const { result, statements } = await countQueries(db, async () => {
      const records: ScheduledMessageResource[] = [];
      for await (const page of (await begin(account)).pages(db)) {
        expect(page.length).to.be.within(1, 200);
        records.push(...page);
      }
      return records;
    });
    expect(idsOf(result)).to.deep.equal(rows.map(({ id }) => id));
    expect(statements.filter((text) => text.startsWith("SELECT"))).to.have.length(4);
  });

  it("is read up to a megabyte at a time, however few rows that are", async () => {
    const account = await withMessages(50);
    await db.rows(
      "UPDATE scheduled_messages SET rendered_content = repeat('x', 100000) WHERE sender_id = $1",
      [account.id],
    );
    const sizes: number[] = [];
    for await (const page of (await begin(account)).pages(db)) sizes.push(page.length);
    expect(sizes).to.deep.equal([9, 9, 9, 9, 9, 5]);
  });

  it("is all there at once where it is short", async () => {
    const account = await withMessages(7);
    const list = await db.transaction((tx) => listScheduled(tx, scheduledListing, account.id));
    expect(list).to.be.an("array").with.length(7);
  });

  it("leaves out what was sent or deleted before its page was read, and has what was edited once", async () => {
    const account = await withMessages(250);
    const rows = await db.rows<{ id: number }>(
      "SELECT id::int FROM scheduled_messages WHERE sender_id = $1 ORDER BY deliver_at, id",
      [account.id],
    );
    const before = rows.map(({ id }) => id);
    const [sent, deleted, edited] = [before[210], before[220], before[230]];
    const pages = (await begin(account)).pages(db);
    const first: ScheduledMessageResource[] = (await pages.next()).value ?? [];
    await db.rows("UPDATE scheduled_messages SET delivered = true WHERE id = $1", [sent]);
    await db.rows("DELETE FROM scheduled_messages WHERE id = $1", [deleted]);
    await db.rows(
      "UPDATE scheduled_messages SET content = 'edited', version = 2, deliver_at = now() + interval '1 minute' WHERE id = $1",
      [edited],
    );
    const second: ScheduledMessageResource[] = (await pages.next()).value ?? [];
    expect((await pages.next()).done).to.equal(true);
    expect(idsOf([...first, ...second])).to.deep.equal(
      before.filter((id) => id !== sent && id !== deleted),
    );
    const changed = second.find((record) => record.content === "edited");
    expect(changed?.scheduled_message_id).to.equal(edited);
  });
});
