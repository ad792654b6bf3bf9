import { bounds, createChannel } from "@carillon/contract";
import { channelsLike, clientOf } from "@carillon/testkit";
import type { Attack, Scene } from "./attack.ts";
import { flood } from "./connections.ts";

/** Characters that a channel's description may have. */
const maxDescriptionLength = 1_024;

/**
 * Fills the organization with as many channels as it may have, all public. The attacker has created as many as a member
 * may create in a day; the others are older, as if the attacker had done so every day.
 */
async function fillOrganization({ db, url, attacker, org }: Scene): Promise<void> {
  // Emoji make the most HTML for each character. The gateway renders the first description; the others are copies.
  const { id } = await clientOf(url, attacker).succeed(createChannel, {
    params: { name: "the first", subscribers: [], description: "😀".repeat(maxDescriptionLength) },
  });
  await channelsLike(db, { id }, bounds.channelsADay - 1);
  const had = await db.prisma.channel.count({ where: { realmId: org.realm.id } });
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  await channelsLike(db, { id }, bounds.organizationChannels - had, twoDaysAgo);
}

/** Attacks with the channels of one member, which the registration of every other member includes. */
export const channels: readonly Attack[] = [
  {
    name: "registrations of four members, read and unread, in an organization full of channels with the longest descriptions",
    prepare: fillOrganization,
    run: async ({ url, org, members }, signal) => {
      const others = [org.owner, ...members];
      const request = (n: number) => ({
        method: "POST",
        path: "/register",
        account: others[n % others.length] ?? org.owner,
      });
      await Promise.all([
        flood(url, { open: 60, request }, signal),
        flood(url, { open: others.length, read: true, request }, signal),
      ]);
    },
  },
];
