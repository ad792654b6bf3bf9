import type { Database } from "@carillon/db";
import { subscribe } from "@carillon/model";
import { randomKey } from "@carillon/kit";
import { benchSite } from "./system.ts";
import type { Member, BenchChannel, World } from "./world.ts";

/**
 * Creates accounts and subscribes them to a channel. Each copies the settings and groups of the channel's first member.
 */
export async function addCrowd(
  db: Database,
  { realmId }: World,
  channel: BenchChannel,
  count: number,
): Promise<Member[]> {
  const { secrets } = benchSite;
  const label = `crowd-${channel.id}`;
  const people = Array.from({ length: count }, (_, n) => {
    const apiKey = randomKey();
    return { name: `Crowd ${n + 1}`, email: `${label}-${n + 1}@bench.test`, apiKey };
  });
  const members = await db.transaction(async (tx) => {
    const ids = await tx.rows<{ id: number; email: string }>(
      `INSERT INTO users (realm_id, delivery_email, email, full_name, api_key_sealed, api_key_digest,
         rule_settings, settings)
       SELECT $1, n.email, n.email, n.name, n.sealed, n.digest, m.rule_settings, m.settings
       FROM users m, unnest($3::text[], $4::text[], $5::bytea[], $6::bytea[]) AS n (email, name, sealed, digest)
       WHERE m.id = $2 RETURNING id, email`,
      [
        realmId,
        channel.members[0]!.id,
        people.map(({ email }) => email),
        people.map(({ name }) => name),
        people.map(({ apiKey }) => secrets.seal(apiKey)),
        people.map(({ apiKey }) => secrets.digest(apiKey)),
      ],
    );
    await tx.rows(
      `INSERT INTO user_group_member (group_id, user_id)
       SELECT g.group_id, n.id FROM user_group_member g, unnest($2::int[]) AS n (id) WHERE g.user_id = $1`,
      [channel.members[0]!.id, ids.map(({ id }) => id)],
    );
    await subscribe(
      tx,
      [{ channelId: channel.id }],
      ids.map(({ id }) => id),
    );
    const idOf = new Map(ids.map(({ id, email }) => [email, id]));
    return people.map((person): Member => ({ ...person, id: idOf.get(person.email)! }));
  });
  await db.rows("VACUUM ANALYZE");
  return members;
}
