import {
  channel,
  organization,
  pastMessages,
  unsubscribe,
  useDatabase,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import { messagesAtOnce } from "./hydrate.ts";
import { presentPage, readMessages, readNextPage, type Retrieval } from "./read-messages.ts";

describe("Messages of a long response", () => {
  const db = useDatabase();
  const form = {
    applyMarkdown: true,
    siteUrl: "http://carillon.test",
    clientGravatar: true,
    allowEmptyTopicName: true,
  };
  let member: TestAccount;
  let room: TestChannel;
  let ids: number[];
  /** Bytes of a message's HTML: ten messages fill a page. */
  const bytes = 100_000;
  beforeEach(async () => {
    const org = await organization(db);
    member = org.member;
    room = await channel(db, org.owner, { subscribers: [member], inviteOnly: true });
    ids = await pastMessages(db, room, org.owner, { count: 25 });
    await db.rows("UPDATE messages SET rendered_content = repeat('x', $2) WHERE id = ANY($1)", [
      ids,
      bytes,
    ]);
  });

  const begin = () =>
    db.transaction((tx) =>
      readMessages(tx, member, { anchor: "newest", numBefore: 1_000, numAfter: 0, narrow: [] }),
    );
  const presented = async (retrieval: Retrieval, page = retrieval.page) =>
    (await presentPage(retrieval, page, member, form)).map(({ id }) => id);
  /** Returns the ids of each page after the first. */
  async function goOn(retrieval: Retrieval): Promise<number[][]> {
    const pages: number[][] = [];
    for (let { rest } = retrieval.page.loaded; rest.length > 0;) {
      const wanted = rest;
      const page = await db.transaction((tx) => readNextPage(tx, member, retrieval, wanted));
      pages.push(await presented(retrieval, page));
      rest = page.loaded.rest;
    }
    return pages;
  }

  it("come in pages of about a megabyte, each message once and in order", async () => {
    const retrieval = await begin();
    const first = await presented(retrieval);
    const pages = [first, ...(await goOn(retrieval))];
    expect(pages.flat()).to.deep.equal(ids);
    expect(pages.map(({ length }) => length)).to.deep.equal([10, 10, 5]);
    expect(retrieval.found).to.include({ foundOldest: true, foundNewest: true });
  });

  it("larger than a page get a page each", async () => {
    await db.rows(
      "UPDATE messages SET rendered_content = repeat('x', 1500000) WHERE id = ANY($1)",
      [ids.slice(0, 3)],
    );
    const retrieval = await begin();
    expect(await presented(retrieval)).to.deep.equal(ids.slice(0, 1));
    expect((await goOn(retrieval)).slice(0, 2)).to.deep.equal([[ids[1]], [ids[2]]]);
  });

  it("count with the size of their submessages and reactions", async () => {
    await db.rows("UPDATE messages SET rendered_content = 'x' WHERE id = ANY($1)", [ids]);
    await db.rows(
      `INSERT INTO submessages (message_id, sender_id, msg_type, content)
       SELECT m.id, $1, 'widget', repeat('x', 10000) FROM unnest($2::bigint[]) AS m (id), generate_series(1, 20)`,
      [member.id, ids],
    );
    const retrieval = await begin();
    expect((await presented(retrieval)).length).to.be.within(4, 6);
  });

  it("are left out if deleted before their page is read, and have their content at that time", async () => {
    const retrieval = await begin();
    await db.rows("DELETE FROM messages WHERE id = ANY($1)", [[ids[0], ids[12]]]);
    await db.rows("UPDATE messages SET content = 'new' WHERE id = $1", [ids[13]]);
    expect(await presented(retrieval), "the first page was read before").to.include(ids[0]);
    const rest = (await goOn(retrieval)).flat();
    expect(rest).to.deep.equal(ids.slice(10).filter((id) => id !== ids[12]));
  });

  it("are left out if the account may no longer see them", async () => {
    const retrieval = await begin();
    await unsubscribe(db, room, member);
    expect((await goOn(retrieval)).flat()).to.deep.equal([]);
  });

  it("are read at once if they are short, as many as requested", async () => {
    await pastMessages(db, room, member, { count: messagesAtOnce });
    await db.rows("UPDATE messages SET rendered_content = 'x' WHERE id = ANY($1)", [ids]);
    const { page } = await begin();
    expect(page.loaded.rows).to.have.length(messagesAtOnce + 25);
    expect(page.loaded.rest).to.deep.equal([]);
  });
});
