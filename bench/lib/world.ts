import type { Database } from "@carillon/db";
import { createOrganization, insertChannel, insertUser } from "@carillon/domain";
import { defaultGroups, groupIds, loadSystemGroups, subscribe } from "@carillon/model";
import { channelPermissions } from "@carillon/contract";
import { benchSite } from "./system.ts";

export interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly apiKey: string;
}

/** A channel and its subscribers. */
export interface BenchChannel {
  readonly id: number;
  readonly recipientId: number;
  readonly members: readonly Member[];
}

/** An organization. Each member is subscribed to one channel. */
export interface World {
  readonly realmId: number;
  readonly channels: readonly BenchChannel[];
  readonly members: readonly Member[];
}

let worlds = 0;

/** Creates an organization with `count` channels of `each` subscribers, who are its members. */
export async function createWorld(db: Database, count: number, each: number): Promise<World> {
  const label = `bench${++worlds}`;
  const world = await db.transaction(async (tx): Promise<World> => {
    const { realm } = await createOrganization(tx, benchSite, {
      subdomain: worlds === 1 ? "" : label,
      name: label,
      owner: { email: `owner@${label}.test`, fullName: "Olivia Owner" },
    });
    const groups = groupIds(
      defaultGroups(channelPermissions, await loadSystemGroups(tx, realm.id)),
    );
    const made: BenchChannel[] = [];
    for (let r = 0; r < count; r++) {
      const members: Member[] = [];
      for (let m = 0; m < each; m++) {
        const name = `Member ${r + 1}-${m + 1}`;
        const email = `member-${r + 1}-${m + 1}@${label}.test`;
        const { account, apiKey } = await insertUser(tx, benchSite, realm, {
          email,
          fullName: name,
        });
        members.push({ id: account.id, name, email, apiKey });
      }
      const channel = await insertChannel(tx, realm.id, {
        name: `channel ${r + 1}`,
        creatorId: members[0]!.id,
        groups,
      });
      await subscribe(
        tx,
        [{ channelId: channel!.id }],
        members.map(({ id }) => id),
      );
      const recipient = await tx.first<{ id: number }>(
        "SELECT id FROM recipients WHERE channel_id = $1",
        [channel!.id],
      );
      made.push({ id: channel!.id, recipientId: recipient!.id, members });
    }
    return { realmId: realm.id, channels: made, members: made.flatMap(({ members }) => members) };
  });
  await db.rows("ANALYZE");
  return world;
}
