import { roles } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { insertUser } from "@carillon/domain";
import { loadRealm } from "@carillon/model";
import { benchSite } from "./system.ts";
import type { Member, World } from "./world.ts";

/** A person to be deactivated, with their bots. */
export interface Departing {
  readonly id: number;
  readonly botIds: readonly number[];
}

/** Creates a person with bots; none of them has subscriptions. */
export async function createDeparting(
  db: Database,
  { realmId }: World,
  name: string,
  bots: number,
): Promise<Departing> {
  return db.transaction(async (tx) => {
    const realm = await loadRealm(tx, realmId);
    const make = async (fullName: string, botOwnerId?: number) => {
      const { account } = await insertUser(tx, benchSite, realm, {
        email: `${fullName.replaceAll(" ", "-")}@departing.test`,
        fullName,
        ...(botOwnerId === undefined ? {} : { isBot: true, botOwnerId }),
      });
      return account.id;
    };
    const id = await make(name);
    const botIds: number[] = [];
    for (let bot = 0; bot < bots; bot++) botIds.push(await make(`${name} bot ${bot}`, id));
    return { id, botIds };
  });
}

/** Creates an account that may deactivate others. */
export async function createAdministrator(db: Database, { realmId }: World): Promise<Member> {
  const [name, email] = ["Ada Administrator", "ada@departing.test"];
  return db.transaction(async (tx) => {
    const realm = await loadRealm(tx, realmId);
    const { account, apiKey } = await insertUser(tx, benchSite, realm, {
      email,
      fullName: name,
      role: roles.administrator,
    });
    return { id: account.id, name, email, apiKey };
  });
}

/** Undoes a deactivation and the deletion that it recorded. */
export async function undoDeactivation(db: Database, { id, botIds }: Departing): Promise<void> {
  const ids = [id, ...botIds];
  await db.rows("DELETE FROM job_intent");
  await db.rows("DELETE FROM message_deletion_jobs");
  await db.rows("UPDATE users SET is_active = true, deactivated_at = NULL WHERE id = ANY($1)", [
    ids,
  ]);
}
