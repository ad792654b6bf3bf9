import type { Database } from "@carillon/db";
import {
  channel,
  type GatewayClient,
  send,
  type TestAccount,
  type TestOrganization,
  toChannel,
} from "@carillon/testkit";

interface Server {
  readonly db: Database;
  readonly org: TestOrganization;
  readonly as: (account: TestAccount) => GatewayClient;
}

/** Creates a channel with people and the organization's owner, who writes to its topic `talk`. */
export async function createTopic(
  { db, org, as }: Server,
  name: string,
  people: readonly TestAccount[],
  { inviteOnly = false } = {},
) {
  const subscribers = [org.owner, ...people];
  const room = await channel(db, org.owner, { name, inviteOnly, subscribers });
  return {
    room,
    hash: `#narrow/channel/${room.id}/topic/talk`,
    say: (content: string, by: TestAccount = org.owner) =>
      send(as(by), toChannel(room.id, { topic: "talk", content })),
    /** Returns the contents that the server has, oldest first. */
    stored: async (): Promise<readonly string[]> => {
      const rows = await db.rows<{ content: string }>(
        "SELECT content FROM messages WHERE recipient_id = $1 ORDER BY id",
        [room.recipientId],
      );
      return rows.map(({ content }) => content);
    },
  };
}
