import {
  deleteMessage,
  type EditHistoryEntry,
  updateMessage,
  updateMessageFlags,
} from "@carillon/contract";
import {
  channel,
  type Gateway,
  organization,
  pastMessages,
  setTopicPolicy,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

/** Two channels, one of them private, and three messages of one topic in the first. */
interface Place {
  readonly rooms: readonly TestChannel[];
  readonly ids: readonly number[];
}

// messages.md §8: two concurrent changes of a message have the result of one order of them.
describe("Two concurrent changes of the same messages", function () {
  this.timeout(120_000);
  const db = useDatabase();
  const gateways = [useGateway(db), useGateway(db)];
  let org: TestOrganization;
  let people: readonly TestAccount[];

  before(async () => {
    org = await organization(db);
    people = [org.owner, org.member, org.guest];
  });

  type Act = (gateway: Gateway, place: Place) => Promise<{ status: number }>;
  const quiet = { send_notification_to_new_thread: false };
  const change =
    (by: "owner" | "member", params: (place: Place) => object, which = 1): Act =>
    (gateway, place) =>
      gateway.as(org[by]).call(updateMessage, {
        path: { message_id: place.ids[which] ?? 0 },
        params: { ...quiet, ...params(place) },
      });
  const all = { propagate_mode: "change_all" };
  const acts: Readonly<Record<string, Act>> = {
    "edits it": change("member", () => ({ content: "new" })),
    "edits it, expecting what it said": change("member", () => ({
      content: "newer",
      // Of `soup 2`.
      prev_content_sha256: "c0569e441f658a1c8fc77e784732d375d494e160659a00b49b517d4531729b23",
    })),
    "edits and moves it": change("member", () => ({ content: "moved", topic: "rain" })),
    "moves all": change("member", () => ({ topic: "rain", ...all }), 0),
    "moves all to the private channel": change("owner", ({ rooms }) => ({
      stream_id: rooms[1]?.id,
      ...all,
    })),
    "resolves the topic": change("owner", () => ({ topic: "✔ lunch", ...all }), 2),
    "deletes it": (gateway, { ids }) =>
      gateway.as(org.owner).call(deleteMessage, { path: { message_id: ids[1] ?? 0 } }),
    "stars it": (gateway, { ids }) =>
      gateway
        .as(org.member)
        .call(updateMessageFlags, { params: { messages: [ids[1]], op: "add", flag: "starred" } }),
  };

  async function prepare(): Promise<Place> {
    const open = await channel(db, org.realm, { subscribers: people });
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [org.owner, org.member],
    });
    const ids = await pastMessages(db, open, org.member, { count: 3 });
    await setTopicPolicy(db, org.guest, open, "lunch", "followed");
    return { rooms: [open, closed], ids };
  }

  /** The resulting state, in terms that are the same for every place. */
  async function stateOf({ rooms, ids }: Place): Promise<unknown> {
    const roomIds = rooms.map(({ id }) => id);
    const recipients = rooms.map(({ recipientId }) => recipientId);
    const nth = (id: number | null) => (id === null ? null : ids.indexOf(id));
    const messages = await db.rows<{
      id: number;
      recipient: number;
      topic: string;
      content: string;
      history: EditHistoryEntry[] | null;
      topical: boolean;
    }>(
      `SELECT id, recipient_id AS recipient, topic, content, edit_history AS history,
         coalesce(ts_filter(search, '{a}') = setweight(to_tsvector('english', topic), 'A'), false) AS topical
       FROM messages WHERE recipient_id = ANY($1::int[]) ORDER BY id`,
      [recipients],
    );
    const copies = await db.rows<{ id: number; user: number; flags: number }>(
      `SELECT message_id AS id, user_id AS user, flags FROM user_messages WHERE message_id = ANY($1::bigint[])
       ORDER BY message_id, user_id`,
      [ids],
    );
    const wanted = await db.rows(
      `SELECT array_position($1::int[], channel_id) AS room, topic, visibility_policy FROM user_topics
       WHERE channel_id = ANY($1) AND user_id = $2 ORDER BY 1, 2`,
      [roomIds, org.guest.id],
    );
    const firsts = await db.rows<{ first: number | null }>(
      "SELECT first_message_id AS first FROM channels WHERE id = ANY($1::int[]) ORDER BY id",
      [roomIds],
    );
    return {
      messages: messages.map(({ id, recipient, history, ...rest }) => ({
        ...rest,
        n: nth(id),
        room: recipients.indexOf(recipient),
        history: history?.map(({ prev_stream, stream, ...entry }) => ({
          ...entry,
          timestamp: undefined,
          from: prev_stream === undefined ? undefined : roomIds.indexOf(prev_stream),
          to: stream === undefined ? undefined : roomIds.indexOf(stream),
        })),
      })),
      copies: copies.map(({ id, ...copy }) => ({ ...copy, n: nth(id) })),
      wanted,
      firsts: firsts.map(({ first }) => nth(first)),
    };
  }

  async function after(work: (place: Place) => Promise<ReadonlyArray<{ status: number }>>) {
    const place = await prepare();
    const statuses = (await work(place)).map(({ status }) => status);
    return JSON.stringify({ statuses, state: await stateOf(place) });
  }

  const names = Object.keys(acts);
  for (const [i, one] of names.entries())
    it(`have the result of one order: one ${one}`, async () => {
      for (const other of names.slice(i)) {
        const [first, second] = [acts[one], acts[other]];
        const [here, there] = gateways;
        if (!first || !second || !here || !there) throw new Error("nothing to do");
        const orders = [
          await after(async (place) => [await first(here, place), await second(there, place)]),
          await after(async (place) =>
            [await second(there, place), await first(here, place)].toReversed(),
          ),
        ];
        const together = await after((place) =>
          Promise.all([first(here, place), second(there, place)]),
        );
        expect(orders, `the other ${other}`).to.include(together);
      }
    });
});
