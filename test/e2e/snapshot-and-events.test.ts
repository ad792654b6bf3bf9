import {
  channel,
  organization,
  roles,
  useDatabase,
  useGateway,
  usePictureWorker,
  user,
  userGroup,
} from "@carillon/testkit";
import { allEvents, clientCapabilities, register } from "@carillon/contract";
import { expect } from "chai";

import { chance as drawnFrom, withChance, type Chance } from "../faults/support/chance.ts";
import { differencesFrom } from "./support/client-model-compare.ts";
import { QueueClient } from "./support/queue-client.ts";
import { movedMessages, removedMessages } from "./support/removed-messages.ts";
import { Casting } from "./support/walk/casting.ts";
import { allSteps, channelsAlone, nextStep, seriesAlone } from "./support/walk/steps.ts";
import {
  beginWalk,
  storyOf,
  logStep,
  type Course,
  type Step,
  type Walk,
} from "./support/walk/walk.ts";

/** After each stretch, every client is compared with a new snapshot. */
const stretches = 3;
/** Steps that run concurrently. */
const atOnce = 6;
/** Clients that register in each stretch. */
const newcomers = 3;
/** Every type of events, opt-in ones too. */
const everyType = [...new Set(allEvents.map(({ type }) => type))];

/** All sections of the snapshot, opt-in ones too. Some have the name of an event type; the others are listed here. */
const everySection = [
  ...everyType,
  "channel_folders",
  "default_stream_groups",
  "device",
  "giphy",
  "navigation_views",
  "onboarding_steps",
  "push_device",
  "realm_embedded_bots",
  "realm_filters",
  "realm_incoming_webhook_bots",
  "realm_playgrounds",
  "realm_user_groups",
  "recent_private_conversations",
  "starred_messages",
  "stop_words",
  "video_calls",
];

/** Steps of a stretch: enough to run most kinds. */
const rounds = ({ operations }: Course) => newcomers * Math.max(3, Math.ceil(operations / 16));

// events.md §5: atomic, cut, order. Steps are drawn from a seed that the failure message names. The order of concurrent
// requests is not, so that the message also lists the steps.
describe("Snapshots and events", function () {
  this.timeout(120_000);
  const db = useDatabase();
  usePictureWorker(db);
  // A shorter time makes more polls than events: 100 to 150 ms cost a seventh more of the processor.
  const events = { heartbeatMs: [400, 600], logReadMs: 1_000 } as const;
  const options = { events, site: { pushConfigured: true } };
  const gateways = [useGateway(db, options), useGateway(db, options)];

  const courses: Readonly<Record<string, Course>> = {
    "all steps": allSteps,
    "steps of channels and their visibility": channelsAlone,
    "steps of series": seriesAlone,
  };
  for (const [title, course] of Object.entries(courses))
    it(`together equal a later snapshot for each client, without gaps or duplicates: ${title}`, () =>
      withChance(async (chance) => {
        const walk = await begin(chance, course);
        try {
          await go(walk);
        } catch (error) {
          throw new Error(`${(error as Error).message}\n${storyOf(walk)}`, { cause: error });
        }
      }));

  // Otherwise clients of the walk that name everything would not see what others see.
  it("are named by the walk completely", async () => {
    const { owner } = await organization(db);
    const client = gateways.at(0)!.as(owner);
    const named = { event_types: everyType, fetch_event_types: everySection };
    const params = { include_subscribers: true };
    const usual = Object.keys(await client.succeed(register, { params }));
    const all = Object.keys(await client.succeed(register, { params: { ...params, ...named } }));
    // Of clients that name both, the newer section takes the place of `muted_topics`.
    expect(usual.filter((name) => !all.includes(name))).to.deep.equal(["muted_topics"]);
    const optInLists = allEvents.flatMap(({ optIn, snapshot }) =>
      optIn && snapshot && "list" in snapshot ? [snapshot.list] : [],
    );
    expect(all.filter((name) => !usual.includes(name))).to.have.members([...new Set(optInLists)]);
  });

  async function go(walk: Walk): Promise<void> {
    const clients: QueueClient[] = [];
    const casting = await Casting.begin(walk);
    for (let stretch = 0; stretch < stretches; stretch++) {
      await goOn(walk, clients, casting);
      const differing: string[] = [];
      for (const client of clients) {
        await client.drain();
        if (client.ended) await expectAccessLost(client);
        else differing.push(...(await differences(client)));
      }
      if (differing.length > 0) throw new Error(`differences:\n${differing.join("\n")}`);
    }
    expect(clients).to.have.lengthOf(stretches * newcomers);
    expect(clients.some(({ ended }) => !ended)).to.equal(true);
    const kinds = walk.course.operations;
    expect(walk.done.size, "kinds of steps that succeeded").to.be.greaterThan(kinds * 0.4);
  }

  async function begin(chance: Chance, course: Course): Promise<Walk> {
    const org = await organization(db, { row: { enableSpectatorAccess: true } });
    const stranger = await user(db, org.realm, { role: roles.guest });
    const accounts = [
      org.owner,
      org.admin,
      org.moderator,
      org.member,
      org.guest,
      org.bot,
      stranger,
    ];
    const team = await userGroup(db, org.realm, { members: [org.member, stranger] });
    const groups = { canSubscribeGroupId: team.id };
    const some = [org.moderator, org.guest];
    const channels = [
      await channel(db, org.owner, { subscribers: accounts }),
      await channel(db, org.member, { inviteOnly: true, subscribers: some, groups }),
      await channel(db, org.realm, { isArchived: true, subscribers: some }),
    ];
    return beginWalk({
      db,
      org,
      gateways,
      chance,
      course,
      accounts,
      channels,
      groups: [team.id],
    });
  }

  /** Runs the steps of a stretch while clients register and poll. */
  async function goOn(walk: Walk, clients: QueueClient[], casting: Casting): Promise<void> {
    const watching: Array<Promise<void>> = [];
    let over = false;
    const watch = (client: QueueClient, chance: Chance) => {
      const polling = async () => {
        try {
          while (!over && !client.ended) await client.poll(chance.below(4) > 0);
        } catch (error) {
          over = true;
          throw error;
        }
      };
      const watched = polling();
      // Its failure is reported at the end.
      watched.catch(() => undefined);
      watching.push(watched);
    };
    // Separate random numbers, so that the steps do not depend on the number of polls.
    const ownChance = () => drawnFrom(walk.chance.below(2 ** 31));
    for (const client of clients) watch(client, ownChance());
    const join = async (): Promise<void> => {
      const chance = ownChance();
      const asked = abilities(chance, walk.course);
      const client = await casting.next((account) =>
        QueueClient.register(account, gateways, chance, asked),
      );
      logStep(walk, `${client.name} registers with ${JSON.stringify(asked)}`)("done");
      clients.push(client);
      watch(client, chance);
    };
    try {
      const last = rounds(walk.course);
      for (let round = 0; round < last && !over; round++) {
        const steps: Step[] = Array.from({ length: atOnce }, () => nextStep(walk));
        if (round % (last / newcomers) === 0) steps.splice(walk.chance.below(atOnce), 0, join);
        await Promise.all(steps.map((step) => step()));
      }
    } finally {
      over = true;
      await Promise.all(watching);
    }
  }

  /** The client's capabilities, which determine its snapshots and events. */
  function abilities(chance: Chance, { optsIn }: Course): Record<string, unknown> {
    const able = clientCapabilities.filter(
      // Without it, subscription events depend on settings that the client would have to apply itself.
      (name) => name === "notification_settings_null" || chance.below(2) === 0,
    );
    return {
      client_capabilities: Object.fromEntries(able.map((name) => [name, true])),
      include_subscribers: true,
      ...(chance.below(2) === 0 || optsIn
        ? { event_types: everyType, fetch_event_types: everySection }
        : {}),
      slim_presence: chance.below(2) === 0,
      apply_markdown: chance.below(2) === 0,
      client_gravatar: chance.below(2) === 0,
    };
  }

  async function differences(client: QueueClient): Promise<string[]> {
    const untold = await expectEveryMessage(client);
    const removed = await removedMessages(db, client.account.realmId);
    const moved = await movedMessages(db, client.account.realmId);
    const fresh = await client.freshSnapshot();
    const found = differencesFrom(fresh, client.model, client.first, { untold, removed, moved });
    return found.map((one) => `${client.name}: ${one}`);
  }

  /**
   * Expects that the queue's `message` events are those of the log for its account, in order.
   * @returns the messages of archived channels that the client gets no event for
   */
  async function expectEveryMessage(client: QueueClient): Promise<ReadonlySet<number>> {
    const { account, first, model, name } = client;
    const rows = await db.rows<{ id: number; archived: boolean }>(
      `SELECT (payload->'message'->>'id')::bigint AS id, payload::jsonb ? 'archived' AS archived FROM event_log
       WHERE realm_id = $1 AND seq > $2 AND type = 'message' AND audience @> ARRAY[$3::int] ORDER BY seq`,
      [account.realmId, (first["last_event_id"] as number) / 1_024, account.id],
    );
    const untold = rows.filter(({ archived }) => archived && !client.can("archived_channels"));
    const received = rows.filter((row) => !untold.includes(row));
    expect(model.messages, `${name}: messages`).to.deep.equal(received.map(({ id }) => id));
    return new Set(untold.map(({ id }) => id));
  }

  /**
   * Expects that the account was deactivated, without a notice or later events for its client, or is a bot that got
   * another owner, or the role of an owner, and thereby another API key (users.md §5). Nothing else may end a client's polls.
   */
  async function expectAccessLost({ account, first, lastId, name }: QueueClient): Promise<void> {
    const rows = await db.rows(
      `SELECT FROM event_log e, LATERAL (SELECT (payload->'person')::jsonb AS person) p
       WHERE realm_id = $1 AND type = 'realm_user' AND person->'user_id' = to_jsonb($3::int) AND (
         seq > $2 AND person->'is_active' = 'false'
         OR seq > $4 AND $5 AND (person->'role' = to_jsonb($6::int) OR person ? 'bot_owner_id'))`,
      [
        account.realmId,
        Math.floor(lastId / 1_024),
        account.id,
        (first["last_event_id"] as number) / 1_024,
        account.isBot,
        roles.owner,
      ],
    );
    expect(rows.length, `${name}: deactivations or new keys`).to.be.greaterThan(0);
  }
});
