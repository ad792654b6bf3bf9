import type { ScheduledMessageResource } from "@carillon/contract";
import {
  channel,
  countQueries,
  organization,
  scheduledMessage,
  useDatabase,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { beginScheduledList, listScheduled, scheduledListing, scheduledPages } from "./list.ts";

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
  const begin = (account: TestAccount) =>
    db.transaction((tx) => beginScheduledList(tx, scheduledListing, account.id));
  const idsOf = (records: ReadonlyArray<{ scheduled_message_id: number }>) =>
    records.map((record) => record.scheduled_message_id);

  it("is that of one moment, a statement a page, where nothing changes", async () => {
    const account = await withMessages(401);
    const whole = await listScheduled(db, scheduledListing, account.id);
    const { result, statements } = await countQueries(db, async () => {
      const records = [];
      for await (const page of scheduledPages(
        db,
        scheduledListing,
        account.id,
        await begin(account),
      )) {
        expect(page.length).to.be.within(1, 200);
        records.push(...page);
      }
      return records;
    });
    expect(result).to.deep.equal(whole);
    expect(statements.filter((text) => text.startsWith("SELECT"))).to.have.length(4);
  });

  it("is all there at once where it is short", async () => {
    const account = await withMessages(7);
    const { first, rest } = await begin(account);
    expect([first.length, rest]).to.deep.equal([7, []]);
  });

  it("leaves out what was sent or deleted before its page was read, and has what was edited once", async () => {
    const account = await withMessages(250);
    const before = idsOf(await listScheduled(db, scheduledListing, account.id));
    const [sent, deleted, edited] = [before[210], before[220], before[230]];
    const pages = scheduledPages(db, scheduledListing, account.id, await begin(account));
    const first = (await pages.next()).value ?? [];
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
