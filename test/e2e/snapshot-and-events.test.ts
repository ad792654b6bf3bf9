import { channel, organization, useDatabase, useGateway } from "@carillon/testkit";
import { clientCapabilities } from "@carillon/events";
import { expect } from "chai";

import { chance as drawnFrom, withChance, type Chance } from "../faults/support/chance.ts";
import { differencesFrom } from "./support/client-model-compare.ts";
import { QueueClient } from "./support/queue-client.ts";
import { nextStep, type Step, type Walk } from "./support/random-walk.ts";

const rounds = 24;
/** Steps that are taken at the same time. */
const atOnce = 6;
const clients = 6;

// events.md §5: atomic, cut, order. The choices are drawn from a seed that a failure names; who comes first is not.
describe("Snapshots and events", () => {
  const db = useDatabase();
  const events = { heartbeatMs: [100, 150], lookMs: 1_000 } as const;
  const gateways = [useGateway(db, { events }), useGateway(db, { events })];

  it("together tell each client what a later snapshot tells, with no gap and nothing twice", () =>
    withChance(async (chance) => {
      const org = await organization(db);
      const accounts = [org.owner, org.admin, org.moderator, org.member, org.guest];
      const room = await channel(db, org.owner, { subscribers: accounts });
      const walk: Walk = {
        db,
        org,
        gateways,
        chance,
        accounts,
        channels: [room],
        groups: [],
        scheduled: [],
        done: new Map(),
      };
      const registered = await walkAndWatch(walk);
      const differing: string[] = [];
      for (const client of registered) {
        await client.drain();
        await expectEveryMessage(client);
        const fresh = await client.freshSnapshot();
        differing.push(
          ...differencesFrom(fresh, client.model, client.first).map(
            (one) => `${client.name}: ${one}`,
          ),
        );
      }
      if (differing.length > 0) throw new Error(`differences:\n${differing.join("\n")}`);
      expect(registered).to.have.lengthOf(clients);
      expect([...walk.done.keys()], "kinds of steps that succeeded").to.have.length.at.least(10);
    }));

  /** Takes all steps while clients register and poll. */
  async function walkAndWatch(walk: Walk): Promise<QueueClient[]> {
    const registered: QueueClient[] = [];
    const watching: Array<Promise<void>> = [];
    let over = false;
    const watch = async (client: QueueClient, chance: Chance) => {
      try {
        while (!over) await client.poll(chance.below(4) > 0);
      } finally {
        over = true;
      }
    };
    const register = async (): Promise<void> => {
      const { accounts } = walk;
      // Its own draws, so that the steps do not depend on how often it polls.
      const chance = drawnFrom(walk.chance.below(2 ** 31));
      const account = accounts.at(chance.below(accounts.length))!;
      const client = await QueueClient.register(account, gateways, chance, options(chance));
      registered.push(client);
      const watched = watch(client, chance);
      // Its failure is told at the end.
      watched.catch(() => undefined);
      watching.push(watched);
    };
    try {
      for (let round = 0; round < rounds && !over; round++) {
        const steps: Step[] = Array.from({ length: atOnce }, () => nextStep(walk));
        if (round % (rounds / clients) === 0) steps.splice(walk.chance.below(atOnce), 0, register);
        await Promise.all(steps.map((step) => step()));
      }
    } finally {
      over = true;
      await Promise.all(watching);
    }
    return registered;
  }

  /** What the client says that it can; its snapshots and its events follow from it. */
  function options(chance: Chance): Record<string, unknown> {
    const able = clientCapabilities.filter(
      // Without it what is told of subscriptions depends on settings that the client would have to apply itself.
      (name) => name === "notification_settings_null" || chance.below(2) === 0,
    );
    return {
      client_capabilities: Object.fromEntries(able.map((name) => [name, true])),
      include_subscribers: true,
      slim_presence: chance.below(2) === 0,
      apply_markdown: chance.below(2) === 0,
      client_gravatar: chance.below(2) === 0,
    };
  }

  /** The `message` events of the queue are those of the log that are for its account, in their order. */
  async function expectEveryMessage({ account, first, model, name }: QueueClient): Promise<void> {
    const rows = await db.rows<{ id: number }>(
      `SELECT (payload->'message'->>'id')::bigint AS id FROM event_log
       WHERE realm_id = $1 AND seq > $2 AND type = 'message' AND audience @> ARRAY[$3::int] ORDER BY seq`,
      [account.realmId, (first["last_event_id"] as number) / 1_024, account.id],
    );
    expect(model.messages, `${name}: messages`).to.deep.equal(rows.map(({ id }) => id));
  }
});
