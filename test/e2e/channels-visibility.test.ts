import {
  changeOrganization,
  type Params,
  succeeded,
  type TestAccount,
  type ReceivedEvent,
  useScene,
} from "@carillon/testkit";

import { agree, differing, meetings, type Meeting } from "./support/channel-access/comparing.ts";
import { people } from "./support/channel-access/people.ts";
import {
  granting,
  readsHere,
  seesMetadata,
  sent,
  type Case,
  type Permission,
  type Privacy,
} from "./support/channel-access/rules.ts";
import { makeWorld, type Place, type World } from "./support/channel-access/world.ts";

/** The inputs of the rules that a step changes. */
type Change = Partial<Pick<Case, "privacy">> & { readonly listing?: readonly Permission[] };

interface Step {
  readonly change: Change;
  readonly params: Params;
}

const privacyParams: Readonly<Record<Privacy, Params>> = {
  "web-public": { is_private: false, is_web_public: true, history_public_to_subscribers: true },
  public: { is_private: false, is_web_public: false, history_public_to_subscribers: true },
  "private, shared": {
    is_private: true,
    is_web_public: false,
    history_public_to_subscribers: true,
  },
  "private, protected": {
    is_private: true,
    is_web_public: false,
    history_public_to_subscribers: false,
  },
};

/** Each change from one privacy to another, once. */
const rounds: Readonly<Record<Privacy, readonly Privacy[]>> = {
  "web-public": [
    "public",
    "private, shared",
    "private, protected",
    "private, shared",
    "public",
    "private, protected",
    "public",
    "web-public",
    "private, shared",
    "web-public",
    "private, protected",
    "web-public",
  ],
  public: ["web-public", "private, protected", "public"],
  "private, shared": ["public", "private, protected", "private, shared"],
  "private, protected": ["private, shared", "web-public", "private, protected"],
};

// channels.md §5: accounts that see a channel before and after a change get the change; accounts that gain sight of it
// get the channel, accounts that lose it get its deletion. Expected by the rules of support/channel-access.
describe("Channels: events of changes of visibility", function () {
  this.timeout(240_000);
  const scene = useScene();
  let world: World;

  before("make the world", async () => {
    world = await makeWorld(scene);
    const { realm, groups } = scene.org;
    await changeOrganization(scene.db, realm, {
      enableSpectatorAccess: true,
      canCreateWebPublicChannelGroupId: groups["role:administrators"],
    });
  });

  interface Queue {
    readonly client: ReturnType<typeof scene.as>;
    readonly poll: Params;
  }
  async function queueOf(account: TestAccount, able: boolean): Promise<Queue> {
    const client = scene.as(account);
    const asked = {
      event_types: ["stream", "subscription", "delete_message"],
      fetch_event_types: [],
      client_capabilities: { archived_channels: able },
    };
    const { queue_id, last_event_id } = succeeded(await client.post("/api/v1/register", asked));
    return { client, poll: { queue_id, last_event_id, dont_block: true } };
  }

  /** The account's events for each channel, in order; a created channel with its subscribers. */
  async function withEvents({ client, poll }: Queue): Promise<Map<number, string[]>> {
    const events = succeeded(await client.get("/api/v1/events", poll))["events"] as ReceivedEvent[];
    const received = new Map<number, string[]>();
    for (const { type, op, ...fields } of events) {
      const { streams, subscriptions, stream_ids, stream_id } = fields as {
        streams?: Array<{ stream_id: number }>;
        subscriptions?: Array<{ stream_id: number }>;
        stream_ids?: number[];
        stream_id?: number;
      };
      const channels = streams ?? subscriptions;
      const ids = stream_ids ?? channels?.map((one) => one.stream_id) ?? [stream_id ?? 0];
      const kind = op === undefined ? type : `${type}/${op}`;
      const what = kind === "stream/update" ? String(fields["property"]) : kind;
      for (const id of ids) received.set(id, [...(received.get(id) ?? []), what]);
    }
    return received;
  }

  /** The events of every account during the work, for each channel. */
  async function received(
    able: boolean,
    work: () => Promise<void>,
  ): Promise<(meeting: Meeting) => Promise<string[]>> {
    const queues = new Map<string, Queue>();
    for (const [name, account] of Object.entries(world.accounts))
      queues.set(name, await queueOf(account, able));
    await work();
    const found = new Map<string, Map<number, string[]>>();
    for (const [name, queue] of queues) found.set(name, await withEvents(queue));
    return async ({ name, place }) => found.get(name)?.get(place.channel.id) ?? [];
  }

  /** Applies the steps to every channel and returns the accounts whose events differ from the rules. */
  async function go(
    places: readonly Place[],
    stepsOf: (place: Place) => readonly Step[],
  ): Promise<void> {
    for (const able of [true, false]) {
      const herald = scene.as(world.herald);
      const found = await received(able, async () => {
        await Promise.all(
          places.map(async (place) => {
            for (const { params } of stepsOf(place))
              succeeded(await herald.patch(`/api/v1/streams/${place.channel.id}`, params));
          }),
        );
      });
      const right = ({ facts, name, place }: Meeting): string[] => {
        if (facts.archived && !able) return [];
        let before = facts;
        return stepsOf(place).flatMap(({ change, params }) => {
          const { listing, ...rest } = change;
          const listed = listing
            ? (people[name]?.listed.filter((permission) => listing.includes(permission)) ?? [])
            : before.listed;
          const after: Case = { ...before, ...rest, listed };
          const [saw, sees] = [seesMetadata(before), seesMetadata(after)];
          before = after;
          if (!saw && sees) return ["stream/create", "subscription/peer_add"];
          if (saw && !sees) return ["stream/delete"];
          return saw && sees ? [propertyOf(params)] : [];
        });
      };
      const all = meetings(world, places);
      const rights = new Map(all.map((meeting) => [meeting.facts, right(meeting)]));
      agree(
        await differing(all, (facts) => rights.get(facts) ?? [], found),
        `${able ? "knows" : "does not know"} of archived channels`,
      );
    }
  }

  const propertyOf = (params: Params) =>
    "is_private" in params ? "invite_only" : (Object.keys(params)[0] ?? "");

  it("of another privacy", () =>
    go(world.places, ({ privacy }) =>
      rounds[privacy].map((to) => ({ change: { privacy: to }, params: privacyParams[to] })),
    ));

  it("of other members of the permissions that show a channel", () =>
    go(world.places, () => {
      const nobody = scene.org.groups["role:nobody"];
      const holders = (permission: Permission) => ({
        direct_members: Object.entries(world.accounts)
          .filter(([name]) => people[name]?.listed.includes(permission))
          .map(([, { id }]) => id),
        direct_subgroups: [],
      });
      let listing: readonly Permission[] = granting;
      const set = (permission: Permission, value: unknown): Step => ({
        change: { listing },
        params: { [permission]: { new: value } },
      });
      const taken = granting.map((permission) => {
        listing = listing.filter((one) => one !== permission);
        return set(permission, nobody);
      });
      const given = granting.map((permission) => {
        listing = [...listing, permission];
        return set(permission, holders(permission));
      });
      return [...taken, ...given];
    }));

  const active = () => world.places.filter(({ archived }) => !archived);
  const clientOf = (able: boolean) =>
    `for a client that ${able ? "knows" : "does not know"} of archived channels`;

  for (const able of [true, false])
    it(`of archiving and unarchiving, ${clientOf(able)}`, async () => {
      const herald = scene.as(world.herald);
      const found = await received(able, async () => {
        await Promise.all(
          active().map(async ({ channel: { id } }) => {
            succeeded(await herald.delete(`/api/v1/streams/${id}`));
            succeeded(await herald.patch(`/api/v1/streams/${id}`, { is_archived: false }));
          }),
        );
      });
      const rule = (facts: Case) => {
        if (!seesMetadata(facts)) return [];
        if (able) return ["is_archived", "is_archived"];
        const isSubscribed = facts.subscription === "subscribed";
        const how = isSubscribed ? "subscription/add" : "subscription/peer_add";
        return ["stream/delete", "stream/create", how];
      };
      agree(await differing(meetings(world, active()), rule, found));
    });

  for (const topic of sent)
    it(`of deleted messages, sent ${topic === "before" ? topic : "while"} they were subscribed: all who could read them`, async () => {
      const herald = scene.as(world.herald);
      const found = await received(true, async () => {
        for (const { channel } of active()) {
          const path = `/api/v1/streams/${channel.id}/delete_topic`;
          succeeded(await herald.post(path, { topic_name: topic }));
        }
      });
      const rule = (facts: Case) => (readsHere(facts).includes(topic) ? ["delete_message"] : []);
      const gone = async (meeting: Meeting) =>
        (await found(meeting)).filter((what) => what === "delete_message");
      agree(await differing(meetings(world, active()), rule, gone));
    });
});
