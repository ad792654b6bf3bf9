import type { Database } from "@carillon/db";
import {
  channel,
  organization,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";

/** Where an attack takes place: one gateway, the organization of the attacker, and another organization. */
export interface Scene {
  readonly db: Database;
  /** Address of the gateway, without a path. */
  readonly url: string;
  readonly org: TestOrganization;
  /** A member of `org`. */
  readonly attacker: TestAccount;
  /** A public channel of `org` with the attacker and the owner as subscribers. */
  readonly room: TestChannel;
  /** Ordinary members of `org`, beside the attacker. */
  readonly members: readonly TestAccount[];
  /** An account of another organization, who must not notice the attack. */
  readonly bystander: TestAccount;
  /** A channel of the bystander. */
  readonly bystanderRoom: TestChannel;
}

/** One attack on a gateway by an account; `cases.ts` lists them. */
export interface Attack {
  /** Completes the sentence "stays within its memory under …". */
  readonly name: string;
  /** Writes the rows that exist before the attack begins. */
  readonly prepare?: (scene: Scene) => Promise<void>;
  /** Attacks until the signal fires; it must not reject when the gateway refuses or closes a connection. */
  readonly run: (scene: Scene, signal: AbortSignal) => Promise<void>;
}

/** Creates the accounts of both organizations. */
export async function makeScene(db: Database, url: string): Promise<Scene> {
  const org = await organization(db);
  const other = await organization(db);
  const attacker = org.member;
  const members: TestAccount[] = [];
  for (let n = 0; n < 3; n++) members.push(await user(db, org.realm));
  return {
    db,
    url,
    org,
    attacker,
    room: await channel(db, org.owner, { subscribers: [attacker, org.owner, ...members] }),
    members,
    bystander: other.member,
    bystanderRoom: await channel(db, other.owner, { subscribers: [other.member] }),
  };
}
