import { createHash } from "node:crypto";
import { roles } from "@carillon/contract";
import type { Sql } from "@carillon/db";

/** A person, with the data that is hidden from accounts that do not see the person. */
interface Somebody {
  readonly id: number;
  readonly role: number;
  readonly isBot: boolean;
  readonly isActive: boolean;
  /** Current names, addresses and texts of the person. */
  readonly secrets: readonly string[];
}

/**
 * A second implementation of the visibility of accounts (users.md §2.1), from the page only: it reads whole tables of
 * an organization and answers one question by searching them.
 */
export class UserVisibility {
  readonly people: ReadonlyMap<number, Somebody>;
  readonly #restricted: boolean;
  readonly #subscribers: ReadonlyMap<number, ReadonlySet<number>>;
  readonly #conversations: ReadonlyArray<readonly number[]>;

  private constructor(
    people: readonly Somebody[],
    restricted: boolean,
    subscriptions: ReadonlyArray<{ channel: number; person: number }>,
    conversations: ReadonlyArray<readonly number[]>,
  ) {
    this.people = new Map(people.map((person) => [person.id, person]));
    this.#restricted = restricted;
    const subscribers = new Map<number, Set<number>>();
    for (const { channel, person } of subscriptions)
      subscribers.set(channel, (subscribers.get(channel) ?? new Set()).add(person));
    this.#subscribers = subscribers;
    this.#conversations = conversations;
  }

  static async read(sql: Sql, realmId: number): Promise<UserVisibility> {
    const people = await sql.rows<{
      id: number;
      role: number;
      bot: boolean;
      active: boolean;
      name: string;
      address: string;
      status: string | null;
    }>(
      `SELECT u.id, role, is_bot AS bot, is_active AS active, full_name AS name, delivery_email AS address,
         (SELECT status_text FROM user_status s WHERE s.user_id = u.id) AS status
       FROM users u WHERE realm_id = $1 AND system_bot_kind IS NULL`,
      [realmId],
    );
    const [realm] = await sql.rows<{ restricted: boolean }>(
      `SELECT g.name = 'role:members' AS restricted FROM realms r
       JOIN named_user_group g ON g.id = r.can_access_all_users_group_id WHERE r.id = $1`,
      [realmId],
    );
    const subscriptions = await sql.rows<{ channel: number; person: number }>(
      `SELECT s.channel_id AS channel, s.user_id AS person FROM subscriptions s
       JOIN channels c ON c.id = s.channel_id WHERE c.realm_id = $1 AND s.active`,
      [realmId],
    );
    const conversations = await sql.rows<{ members: number[] }>(
      "SELECT member_ids AS members FROM recipients WHERE realm_id = $1 AND member_ids IS NOT NULL",
      [realmId],
    );
    return new UserVisibility(
      people.map(({ id, role, bot, active, name, address, status }) => ({
        id,
        role,
        isBot: bot,
        isActive: active,
        secrets: [name, address, md5(address.toLowerCase()), ...(status ? [status] : [])].filter(
          isTelling,
        ),
      })),
      realm?.restricted ?? false,
      subscriptions,
      conversations.map(({ members }) => members),
    );
  }

  isGuest(id: number): boolean {
    return this.people.get(id)?.role === roles.guest;
  }

  sees(viewer: number, person: number): boolean {
    if (!this.#restricted || !this.isGuest(viewer)) return true;
    if (viewer === person || this.people.get(person)?.isBot !== false) return true;
    if (this.#conversations.some((ids) => ids.includes(viewer) && ids.includes(person)))
      return true;
    return (
      this.people.get(person)?.isActive === true &&
      [...this.#subscribers.values()].some((ids) => ids.has(viewer) && ids.has(person))
    );
  }

  /** IDs, ascending. */
  seenBy(viewer: number): number[] {
    return [...this.people.keys()].filter((id) => this.sees(viewer, id)).toSorted((a, b) => a - b);
  }
}

/** Names and texts shared by several people identify nobody. */
function isTelling(text: string): boolean {
  return text.length >= 10 && !text.startsWith("Deleted user") && /\d/.test(text);
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
