import { bot, roles, user, type TestAccount } from "@carillon/testkit";

import { idsOf, pick, type Walk } from "./walk.ts";

/** What a client's account is: somebody with a role, or a bot. */
type Part = keyof typeof roles | "bot";

const allParts: readonly Part[] = [...(Object.keys(roles) as Array<keyof typeof roles>), "bot"];

/** A client with the snapshot that it began with. */
interface Registered {
  readonly first: Readonly<Record<string, unknown>>;
}

/** Sees to it that every part has a client, whatever becomes of the accounts of a walk. */
export class Casting {
  readonly #walk: Walk;
  readonly #missing = new Set<Part>(allParts);
  /** A bot that nobody knows of until it is needed: the walk's own may all be deactivated. */
  readonly #spareBot: TestAccount;

  private constructor(walk: Walk, spareBot: TestAccount) {
    this.#walk = walk;
    this.#spareBot = spareBot;
  }

  /** Before the first step: what it prepares is told to nobody. */
  static async begin(walk: Walk): Promise<Casting> {
    return new Casting(walk, await bot(walk.db, walk.org.owner));
  }

  /**
   * The next client: of a part that is missing, and of anybody once there is none.
   * @param register undefined for an account that is deactivated
   */
  async next<Client extends Registered>(
    register: (account: TestAccount) => Promise<Client | undefined>,
  ): Promise<Client> {
    const walk = this.#walk;
    const part = this.#missing.size > 0 ? pick(walk, [...this.#missing]) : undefined;
    const acting = await this.#acting(part);
    const found = acting.length > 0 ? await register(pick(walk, acting)) : undefined;
    if (found && (part === undefined || partOf(found.first) === part)) {
      if (part) this.#missing.delete(part);
      return found;
    }
    // There is none, or it got another role or was deactivated meanwhile, which a newcomer cannot be yet.
    const client = await register(part ? await this.#newcomer(part) : walk.org.owner);
    if (!client) throw new Error(`${part ?? "the owner"} cannot register`);
    if (part) this.#missing.delete(part);
    return client;
  }

  /** Those who act and are of the part by now. */
  async #acting(part: Part | undefined): Promise<TestAccount[]> {
    const { db, accounts } = this.#walk;
    const rows = await db.rows<{ id: number; role: number; isBot: boolean }>(
      `SELECT id, role, is_bot AS "isBot" FROM users WHERE id = ANY($1::int[]) AND is_active`,
      [idsOf(accounts)],
    );
    const fitting = rows.filter(({ role, isBot }) => part === undefined || fits(part, role, isBot));
    const ids = new Set(fitting.map(({ id }) => id));
    return accounts.filter(({ id }) => ids.has(id));
  }

  async #newcomer(part: Part): Promise<TestAccount> {
    const { db, org, accounts, bots } = this.#walk;
    const made = part === "bot" ? this.#spareBot : await user(db, org.realm, { role: roles[part] });
    if (part === "bot") bots.push(made.id);
    accounts.push(made);
    return made;
  }
}

function fits(part: Part, role: number, isBot: boolean): boolean {
  return part === "bot" ? isBot : !isBot && role === roles[part];
}

/** The part of a client by its snapshot. */
function partOf(snapshot: Readonly<Record<string, unknown>>): Part | undefined {
  const users = snapshot["realm_users"] as ReadonlyArray<Record<string, unknown>>;
  const own = users.find(({ user_id }) => user_id === snapshot["user_id"]);
  return allParts.find((part) => fits(part, Number(own?.["role"]), own?.["is_bot"] === true));
}
