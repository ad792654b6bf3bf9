import type { Database } from "@carillon/db";
import { deferCopiesOfAbsent, makeMissedCopies, recordVisits } from "@carillon/domain";
import { markRead } from "@carillon/jobs";
import {
  changeSubscription,
  channel,
  deleteRecorded,
  device,
  type GatewayClient,
  nth,
  organization,
  runIntents,
  type Scene,
  setTopicPolicy,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  user,
  userGroup,
} from "@carillon/testkit";

import type { Notices, PushPayload } from "./notices.ts";

/** Defers the copies of people, after changing the time of their last request to 30 days ago. */
export async function sendAway(db: Database, ...people: readonly TestAccount[]): Promise<void> {
  const ids = people.map(({ id }) => id);
  await db.rows("DELETE FROM event_queue WHERE user_id = ANY($1)", [ids]);
  await db.rows(
    `INSERT INTO account_visits (user_id, visited_at) SELECT unnest($1::int[]), now() - interval '30 days'
     ON CONFLICT (user_id) DO UPDATE SET visited_at = excluded.visited_at`,
    [ids],
  );
  await deferToday(db);
}

/**
 * Does what a gateway does before it answers the first request of a person.
 * @param ms milliseconds for which it makes copies
 * @returns the number of copies made
 */
export async function recordVisit(
  db: Database,
  { id, realmId }: { readonly id: number; readonly realmId: number },
  ms?: number,
): Promise<number> {
  const [isDeferred] = await recordVisits(db, [id]);
  return isDeferred ? makeMissedCopies(db, { id, realmId }, ms) : 0;
}

/** Runs the daily task that defers copies, even if it has already run today. */
export async function deferToday(db: Database, days = 14): Promise<number> {
  await db.rows("DELETE FROM daily_work WHERE name = 'defer-copies'");
  return deferCopiesOfAbsent({ db, signal: new AbortController().signal, days });
}

/** Stands for the events of a queue that is lost, because the person was deactivated. */
export const lostQueue = "lost";

/** An organization in which people, channels and messages are numbered, so that two organizations can be compared. */
export class AwayWorld {
  readonly org: TestOrganization;
  readonly people: readonly TestAccount[];
  readonly rooms: readonly TestChannel[];
  readonly group: { readonly id: number; readonly name: string };
  readonly #scene: Scene;
  /** Ids of all messages, including archived ones, in ascending order, as {@link loadIds} found them last. */
  ids: readonly number[] = [];
  /** Event queues by person, with the position of the last event that was read. */
  readonly #queues = new Map<number, { readonly id: string; last: number }>();

  private constructor(
    scene: Scene,
    org: TestOrganization,
    parts: Pick<AwayWorld, "people" | "rooms" | "group">,
  ) {
    this.#scene = scene;
    this.org = org;
    this.people = parts.people;
    this.rooms = parts.rooms;
    this.group = parts.group;
  }

  static async begin(scene: Scene): Promise<AwayWorld> {
    const { db } = scene;
    const org = await organization(db);
    const people: TestAccount[] = [];
    while (people.length < 5) people.push(await user(db, org.realm));
    const subscribers = [org.owner, ...people.slice(0, 4)];
    const rooms = [
      await channel(db, org.realm, { subscribers }),
      await channel(db, org.realm, { subscribers, inviteOnly: true }),
      await channel(db, org.realm, {
        subscribers,
        inviteOnly: true,
        historyPublicToSubscribers: false,
      }),
    ];
    const group = await userGroup(db, org.realm, { members: [nth(people, 0), nth(people, 2)] });
    for (const person of people) await device(db, person, { active: person.id % 256 });
    // The first and the last person keep the notifications of a new account.
    const [first, second, third] = [nth(rooms, 0), nth(rooms, 1), nth(rooms, 2)];
    await changeSubscription(db, first, nth(people, 1), { isMuted: true });
    await setTopicPolicy(db, nth(people, 1), second, "a", "followed");
    await changeSubscription(db, first, nth(people, 2), { pushNotifications: true });
    await changeSubscription(db, second, nth(people, 2), { emailNotifications: true });
    await changeSubscription(db, third, nth(people, 3), { wildcardMentionsNotify: false });
    await setTopicPolicy(db, nth(people, 3), first, "a", "muted");
    await setTopicPolicy(db, nth(people, 3), third, "b", "followed");
    return new AwayWorld(scene, org, { people, rooms, group });
  }

  get db(): Database {
    return this.#scene.db;
  }

  get owner(): GatewayClient {
    return this.#scene.as(this.org.owner);
  }

  as(person: number): GatewayClient {
    return this.#scene.as(nth(this.people, person));
  }

  /** Runs the jobs that requests have recorded: marking as read, and deleting the messages of deactivated people. */
  async runJobs(): Promise<void> {
    await runIntents(this.#scene.db, markRead);
    await deleteRecorded(this.#scene.db);
  }

  /** Registers an event queue of the person, which {@link eventsOf} reads. */
  async openQueue(person: number): Promise<void> {
    const { body } = await this.as(person).post("/api/v1/register", { event_types: eventTypes });
    this.#queues.set(person, { id: String(body["queue_id"]), last: Number(body["last_event_id"]) });
  }

  /** Forgets the event queue of a person who goes away. */
  closeQueue(person: number): void {
    this.#queues.delete(person);
  }

  /** Returns the events that the person has not read, with numbers instead of ids, or {@link lostQueue}. */
  async eventsOf(person: number): Promise<readonly unknown[]> {
    const queue = this.#queues.get(person);
    if (!queue) return [];
    const { status, body } = await this.as(person).get("/api/v1/events", {
      queue_id: queue.id,
      last_event_id: queue.last,
      dont_block: true,
    });
    if (status !== 200) {
      this.#queues.delete(person);
      return [lostQueue];
    }
    const events = body["events"] as readonly MessageEvent[];
    queue.last = events.at(-1)?.id ?? queue.last;
    return events.map((event) => this.#event(event));
  }

  #event({ type, op, flag, messages, message, message_id, message_ids, ...rest }: MessageEvent) {
    const ids = messages ?? message_ids ?? [message?.id ?? message_id ?? 0];
    const places = ids.map((id) => this.place(id)).toSorted((a, b) => a - b);
    const { stream_id = message?.stream_id, new_stream_id } = rest;
    const rooms = [stream_id, new_stream_id].map((id) => id && this.#room(id));
    const topic = rest.subject ?? rest.topic ?? message?.subject;
    return [type, op, flag, places, rooms, topic, rest.flags?.toSorted()];
  }

  async loadIds(): Promise<void> {
    const rows = await this.#scene.db.rows<{ id: number }>(
      `SELECT id::int FROM messages WHERE realm_id = $1 UNION SELECT id::int FROM archived_messages WHERE realm_id = $1
       ORDER BY id`,
      [this.org.realm.id],
    );
    this.ids = rows.map(({ id }) => id);
  }

  /** Returns the person's copies and what the person sees, with numbers of messages instead of ids. */
  async stateOf(person: number): Promise<unknown> {
    const client = this.as(person);
    await this.loadIds();
    const { db } = this.#scene;
    const account = nth(this.people, person);
    const copies = await db.rows<{ id: number; flags: number }>(
      "SELECT message_id::int AS id, flags FROM user_messages WHERE user_id = $1 ORDER BY 1",
      [account.id],
    );
    const snapshot = await client.post("/api/v1/register", {
      fetch_event_types: ["message", "update_message_flags", "starred_messages"],
    });
    const { unread_msgs, max_message_id, starred_messages } = snapshot.body as {
      unread_msgs: UnreadMessages;
      max_message_id: number;
      starred_messages: readonly number[];
    };
    const windows: unknown[] = [];
    for (const narrow of this.#narrows()) windows.push(await this.#window(client, narrow));
    return {
      copies: copies.map(({ id, flags }) => [this.place(id), flags]),
      unread: this.#unread(unread_msgs),
      newest: this.place(max_message_id),
      starred: starred_messages.map((id) => this.place(id)),
      windows,
    };
  }

  /** Returns the accounts that have read the message, as the owner sees them. */
  async readersOf(place: number): Promise<unknown> {
    const id = this.ids[place];
    const { status, body } = await this.owner.get(`/api/v1/messages/${id}/read_receipts`);
    const readers = (body["user_ids"] ?? []) as readonly number[];
    return [status, readers.map((reader) => this.#person(reader)).toSorted()];
  }

  /** Returns the archived messages with the flags of their holders. */
  async archive(): Promise<unknown> {
    await this.loadIds();
    const rows = await this.#scene.db.rows<{ id: number; holders: number[]; flags: number[] }>(
      `SELECT id::int, holder_ids AS holders, holder_flags AS flags FROM archived_messages WHERE realm_id = $1 ORDER BY id`,
      [this.org.realm.id],
    );
    return rows.map(({ id, holders, flags }) => [
      this.place(id),
      holders.map((holder, i) => `${this.#person(holder)}: ${flags[i]}`).toSorted(),
    ]);
  }

  /** Returns the notices to people of this organization, with numbers instead of names and ids. */
  noticesOf({ pushes, mails }: Notices): {
    readonly pushes: readonly string[];
    readonly mails: readonly string[];
  } {
    return {
      pushes: pushes.flatMap((push) => this.#push(push)).toSorted(),
      mails: mails
        .flatMap(({ to, subject, text }) => {
          const person = this.people.findIndex(({ deliveryEmail }) => deliveryEmail === to);
          const shown = text.split("\n").filter((line) => /^(> |you have missed)/.test(line));
          return person < 0
            ? []
            : [this.#named([`to ${person}: ${subject}`, ...shown].join(" | "))];
        })
        .toSorted(),
    };
  }

  #push({ type, user_id: userId, ...push }: PushPayload): string[] {
    const person = this.people.findIndex(({ id }) => id === userId);
    if (person < 0) return [];
    const { message_id: id = 0, message_ids: ids = [id], channel_id: room } = push;
    const { topic = "", content = "", mentioned_user_group_name: group = "" } = push;
    const places = ids.map((one) => this.place(one));
    const where = room === undefined ? "" : `room ${this.#room(room)}`;
    const text = `${type} ${places.join(" ")} to ${person}: ${where} ${topic} | ${content} | ${group}`;
    return [this.#named(text)];
  }

  /** Replaces names by numbers. */
  #named(text: string): string {
    const names: Array<readonly [name: string, as: string]> = [
      [this.org.realm.name, "the organization"],
      [this.org.owner.fullName, "the owner"],
      [this.group.name, "the group"],
      ...this.people.map(({ fullName }, i) => [fullName, `person ${i}`] as const),
      ...this.rooms.map(({ name }, i) => [name, `room ${i}`] as const),
    ];
    // Longer names first, because they may contain shorter ones.
    return names
      .toSorted(([a], [b]) => b.length - a.length)
      .reduce((named, [name, as]) => named.replaceAll(name, as), text);
  }

  place(id: number): number {
    return this.ids.indexOf(id);
  }

  #person(id: number): string {
    const place = this.people.findIndex((one) => one.id === id);
    return place >= 0 ? `person ${place}` : id === this.org.owner.id ? "owner" : "other";
  }

  #room(id: number): number {
    return this.rooms.findIndex((room) => room.id === id);
  }

  #unread({ count, streams, pms, mentions, old_unreads_missing }: UnreadMessages): unknown {
    const places = (ids: readonly number[]) => ids.map((id) => this.place(id));
    return {
      count,
      old_unreads_missing,
      mentions: places(mentions),
      pms: pms.flatMap(({ unread_message_ids: ids }) => places(ids)).toSorted((a, b) => a - b),
      streams: streams
        .map(
          ({ stream_id, topic, unread_message_ids: ids }) =>
            `${this.#room(stream_id)}>${topic}: ${places(ids).join(" ")}`,
        )
        .toSorted(),
    };
  }

  #narrows(): readonly unknown[] {
    return [
      [],
      [{ operator: "is", operand: "unread" }],
      [{ operator: "is", operand: "mentioned" }],
      [{ operator: "is", operand: "alerted" }],
      [{ operator: "search", operand: "soup" }],
      ...this.rooms.map(({ id }) => [{ operator: "channel", operand: id }]),
    ];
  }

  async #window(client: GatewayClient, narrow: unknown): Promise<unknown> {
    const { status, body } = await client.get("/api/v1/messages", {
      narrow,
      anchor: "first_unread",
      num_before: 500,
      num_after: 500,
    });
    const messages = (body["messages"] ?? []) as readonly WindowMessage[];
    return [
      status,
      this.place(Number(body["anchor"])),
      messages.map(
        ({ id, subject, flags, stream_id = 0 }) =>
          `${this.place(id)} ${this.#room(stream_id)}>${subject} ${flags.toSorted().join(" ")}`,
      ),
    ];
  }
}

const eventTypes = ["message", "update_message", "delete_message", "update_message_flags"] as const;

interface MessageEvent {
  readonly id: number;
  readonly type: (typeof eventTypes)[number] | "heartbeat";
  readonly op?: string;
  readonly flag?: string;
  readonly messages?: readonly number[];
  readonly message?: WindowMessage;
  readonly message_id?: number;
  readonly message_ids?: readonly number[];
  readonly stream_id?: number;
  readonly new_stream_id?: number;
  readonly subject?: string;
  readonly topic?: string;
  readonly flags?: readonly string[];
}

interface WindowMessage {
  readonly id: number;
  readonly subject: string;
  readonly stream_id?: number;
  readonly flags: readonly string[];
}

interface UnreadMessages {
  readonly count: number;
  readonly old_unreads_missing: boolean;
  readonly mentions: readonly number[];
  readonly pms: ReadonlyArray<{ readonly unread_message_ids: readonly number[] }>;
  readonly streams: ReadonlyArray<{
    readonly stream_id: number;
    readonly topic: string;
    readonly unread_message_ids: readonly number[];
  }>;
}
