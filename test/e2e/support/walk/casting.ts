import { bot, roles, user, type TestAccount } from "@carillon/testkit";

import { idsOf, pick, type Walk } from "./walk.ts";

/** The kind of a client's account: a role, or a bot. */
type Part = keyof typeof roles | "bot";

const allParts: readonly Part[] = [...(Object.keys(roles) as Array<keyof typeof roles>), "bot"];

/** A client with its first snapshot. */
interface Registered {
  readonly first: Readonly<Record<string, unknown>>;
}

/** Ensures that every kind of account has a client, whatever happens to the accounts of a walk. */
export class Casting {
  readonly #walk: Walk;
  readonly #missing = new Set<Part>(allParts);
  /** A bot that the walk does not use until it is needed: all other bots may be deactivated. */
  readonly #spareBot: TestAccount;

  private constructor(walk: Walk, spareBot: TestAccount) {
    this.#walk = walk;
    this.#spareBot = spareBot;
  }

  /** Must run before the first step, since its preparations cause no expected events. */
  static async begin(walk: Walk): Promise<Casting> {
    return new Casting(walk, await bot(walk.db, walk.org.owner));
  }

  /**
   * Returns the next client: of a missing kind, or of any account if no kind is missing.
   * @param register returns undefined for a deactivated account
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
    // No account fits, or it got another role or was deactivated meanwhile, which cannot happen to a new account.
    const client = await register(part ? await this.#newcomer(part) : walk.org.owner);
    if (!client) throw new Error(`${part ?? "the owner"} cannot register`);
    if (part) this.#missing.delete(part);
    return client;
  }

  /** The walk's accounts that are of this kind now. */
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

/** The kind of a client's account by its snapshot. */
function partOf(snapshot: Readonly<Record<string, unknown>>): Part | undefined {
  const users = snapshot["realm_users"] as ReadonlyArray<Record<string, unknown>>;
  const own = users.find(({ user_id }) => user_id === snapshot["user_id"]);
  return allParts.find((part) => fits(part, Number(own?.["role"]), own?.["is_bot"] === true));
}
