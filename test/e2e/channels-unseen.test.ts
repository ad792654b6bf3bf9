import { lockClass } from "@carillon/db";
import {
  type Answer,
  channel,
  countQueries,
  type GatewayClient,
  refusedWith,
  type TestAccount,
  type TestChannel,
  useBlocker,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §3: a hidden channel cannot be distinguished from a missing one, and requests for it take no locks.
describe("A hidden channel", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  const nowhere = 2_000_000_000;
  let hidden: TestChannel;

  before(async () => {
    hidden = await channel(scene.db, scene.org.realm, { inviteOnly: true });
  });

  type Ask = (client: GatewayClient, id: number) => Promise<Answer>;
  const requests: Readonly<Record<string, { ask: Ask; by: () => TestAccount; code?: string }>> = {
    "renaming it": {
      ask: (client, id) => client.patch(`/api/v1/streams/${id}`, { new_name: "mine" }),
      by: () => scene.org.member,
    },
    "setting its permissions": {
      ask: (client, id) => {
        const can_subscribe_group = { new: scene.org.groups["role:members"] };
        return client.patch(`/api/v1/streams/${id}`, { can_subscribe_group });
      },
      by: () => scene.org.guest,
    },
    "archiving it": {
      ask: (client, id) => client.delete(`/api/v1/streams/${id}`),
      by: () => scene.org.moderator,
    },
    "listing it as a default one": {
      ask: (client, id) => client.post("/api/v1/default_streams", { stream_id: id }),
      by: () => scene.org.member,
      code: "UNAUTHORIZED_PRINCIPAL",
    },
    "deleting a topic of it": {
      ask: (client, id) =>
        client.post(`/api/v1/streams/${id}/delete_topic`, { topic_name: "lunch" }),
      by: () => scene.org.admin,
    },
    "reading it": {
      ask: (client, id) => client.get(`/api/v1/streams/${id}`),
      by: () => scene.org.member,
    },
  };

  for (const [what, { ask, by, code }] of Object.entries(requests)) {
    it(`costs as many statements as a missing one: ${what}`, async () => {
      const client = scene.as(by());
      const one = await countQueries(scene.db, () => ask(client, hidden.id));
      const none = await countQueries(scene.db, () => ask(client, nowhere));
      refusedWith(one.result, code);
      expect(one.result.text.replaceAll(String(hidden.id), String(nowhere))).to.equal(
        none.result.text,
      );
      expect(one.statements).to.deep.equal(none.statements);
    });

    it(`takes no locks: ${what}`, async () => {
      const { id } = scene.org.realm;
      await blocker.lock(`SELECT pg_advisory_xact_lock(${lockClass.groups}, $1)`, [id]);
      await blocker.lock("SELECT FROM realms WHERE id = $1 FOR UPDATE", [id]);
      await blocker.lock("SELECT FROM channels WHERE id = $1 FOR UPDATE", [hidden.id]);
      refusedWith(await ask(scene.as(by()), hidden.id), code);
    });
  }
});
