import type { RealmTables } from "./realm-tables.ts";

/** The channel or the people behind each recipient of an export. */
export class RecipientTargets {
  readonly #channels = new Map<number, number>();
  readonly #people = new Map<number, number>();
  readonly #groups = new Map<number, number[]>();

  constructor(tables: RealmTables) {
    for (const row of tables.get("zerver_recipient")) {
      const id = row.maybeNumber("id");
      const target = row.maybeNumber("type_id");
      if (id === undefined || target === undefined) continue;
      const type = row.maybeNumber("type");
      if (type === 1) this.#people.set(id, target);
      else if (type === 2) this.#channels.set(id, target);
      else if (type === 3) this.#groups.set(id, []);
    }
    for (const row of tables.get("zerver_userprofile_crossrealm")) {
      const recipient = row.maybeNumber("recipient_id");
      const id = row.maybeNumber("id");
      if (recipient !== undefined && id !== undefined) this.#people.set(recipient, id);
    }
  }

  /** Adds a member of a conversation. Returns false if the recipient is none. */
  addMember(recipient: number, userId: number): boolean {
    const members = this.#groups.get(recipient);
    members?.push(userId);
    return members !== undefined;
  }

  channel(recipient: number): number | undefined {
    return this.#channels.get(recipient);
  }

  /** Returns the accounts of a conversation, the sender among them. */
  conversation(recipient: number, senderId: number): number[] | undefined {
    const person = this.#people.get(recipient);
    const members = person === undefined ? this.#groups.get(recipient) : [person];
    return members && [...new Set([...members, senderId])];
  }
}
