import { inChannel, messagesOf, snapshotOf, succeeded, useScene } from "@carillon/testkit";

import {
  agree,
  answeredOtherwise,
  differing,
  meetings,
  nowhere,
  oneInFive,
  plain,
  type Meeting,
  type Named,
} from "./support/channel-access/comparing.ts";
import {
  readsContent,
  readsHere,
  readsInHistory,
  seesMetadata,
  sent,
  type Case,
} from "./support/channel-access/rules.ts";
import { makeWorld, type World } from "./support/channel-access/world.ts";

type Rule = (facts: Case) => boolean;
const active =
  (rule: Rule): Rule =>
  (facts) =>
    !facts.archived && rule(facts);
const isSubscribed: Rule = ({ subscription }) => subscription === "subscribed";
const idsOf = (list: unknown) =>
  (list as Array<{ stream_id: number }>).map((each) => each.stream_id);

// channels.md §3: every privacy × role × subscription, against the rules in support/channel-access/rules.ts.
describe("Channels: permissions to read and see", function () {
  const scene = useScene();
  let world: World;
  let everywhere: readonly Meeting[];

  before("make the world", async () => {
    world = await makeWorld(scene);
    everywhere = meetings(world, world.places);
  });

  /** One response for each account. */
  async function each<T>(ask: (name: string) => Promise<T>): Promise<(name: string) => T> {
    const answers = new Map<string, T>();
    for (const name of Object.keys(world.accounts)) answers.set(name, await ask(name));
    return (name) => answers.get(name)!;
  }

  /** Compares the channels that a list names for each account with the rule. */
  async function listedOtherwise(
    rule: Rule,
    list: (name: string) => Promise<readonly number[]>,
  ): Promise<string[]> {
    const of = await each(async (name) => new Set(await list(name)));
    return differing(everywhere, rule, async ({ name, place }) => of(name).has(place.channel.id));
  }

  it("messages of a channel: includes those before the subscription if history is shared", async () => {
    const read = async ({ client, place }: Meeting) => {
      const messages = await messagesOf(client, inChannel(place.channel.id));
      return messages.map(({ subject }) => subject);
    };
    agree(await differing(everywhere, (facts) => [...readsHere(facts)], read));
  });

  it("messages of the personal history: those of channels that are still readable", async () => {
    const histories = await each(async (name) => {
      const messages = await messagesOf(world.as(name), []);
      return new Set(messages.map(({ id }) => id));
    });
    const read = async ({ name, place }: Meeting) =>
      sent.filter((one) => histories(name).has(place.messages[one]));
    agree(await differing(everywhere, (facts) => [...readsInHistory(facts)], read));
  });

  for (const kind of ["public", "web-public", undefined] as const)
    it(`messages by ID, ${kind ? `in all ${kind} channels` : "without a narrow"}`, async () => {
      const message_ids = world.places.flatMap(({ messages }) => Object.values(messages));
      const narrow = kind ? [{ operator: "channels", operand: kind }] : [];
      const found = await each(async (name) => {
        const answer = await world.as(name).get("/api/v1/messages", { message_ids, narrow });
        const messages = succeeded(answer)["messages"] as Array<{ id: number }>;
        return new Set(messages.map(({ id }) => id));
      });
      const isOfKind = ({ privacy }: Case) =>
        kind === "public" ? !privacy.startsWith("private") : privacy === kind;
      const rule = (facts: Case) => {
        if (kind && !isOfKind(facts)) return [];
        return kind && facts.role !== "guest" ? [...sent] : [...readsInHistory(facts)];
      };
      const read = async ({ name, place }: Meeting) =>
        sent.filter((one) => found(name).has(place.messages[one]));
      agree(await differing(everywhere, rule, read));
    });

  for (const part of ["", "/history", "/read_receipts"])
    it(`one message by ID${part}`, async () => {
      const ask = ({ client }: Pick<Meeting, "client">, id: number) =>
        client.get(`/api/v1/messages/${id}${part}`);
      const unknown = plain(await ask({ client: world.as("owner") }, nowhere.id), nowhere);
      for (const one of sent) {
        const rule = (facts: Case) => (readsHere(facts).includes(one) ? "200" : unknown);
        const read = async (meeting: Meeting) => {
          const id = meeting.place.messages[one];
          const answer = await ask(meeting, id);
          return answer.status === 200 ? "200" : plain(answer, { ...nowhere, id });
        };
        agree(await differing(oneInFive(everywhere, part.length + one.length), rule, read), one);
      }
    });

  it("topics of a channel: content access, active channels; topics of readable messages", async () => {
    const rule = (facts: Case) =>
      active(readsContent)(facts) ? [...readsHere(facts)] : ("refused" as const);
    const read = async ({ client, place }: Meeting) => {
      const answer = await client.get(`/api/v1/users/me/${place.channel.id}/topics`);
      if (answer.status !== 200) return "refused";
      const topics = answer.body["topics"] as Array<{ name: string }>;
      return topics.map(({ name }) => name).toReversed();
    };
    agree(await differing(everywhere, rule, read));
  });

  it("the ID of a name: content access, active channels", async () => {
    const ask = ({ client }: Meeting, { name }: Named) =>
      client.get("/api/v1/get_stream_id", { stream: name });
    agree(await answeredOtherwise(everywhere, active(readsContent), ask));
  });

  const paths: Readonly<Record<string, (id: number) => string>> = {
    "the channel": (id) => `streams/${id}`,
    "its subscribers": (id) => `streams/${id}/members`,
    "somebody's subscription": (id) => `users/${world.herald.id}/subscriptions/${id}`,
  };
  for (const [what, path] of Object.entries(paths))
    it(`${what}: metadata access, active channels`, async () => {
      const tried = what === "the channel" ? everywhere : oneInFive(everywhere, what.length);
      const ask = ({ client }: Meeting, { id }: Named) => client.get(`/api/v1/${path(id)}`);
      agree(await answeredOtherwise(tried, active(seesMetadata), ask));
    });

  it("lists of channels", async () => {
    const list = (params: Readonly<Record<string, boolean>>) => async (name: string) =>
      idsOf(succeeded(await world.as(name).get("/api/v1/streams", params))["streams"]);
    const isPublic: Rule = ({ privacy, role }) =>
      !privacy.startsWith("private") && role !== "guest";
    const none = { include_public: false, include_subscribed: false, exclude_archived: false };
    const lists: Array<[Readonly<Record<string, boolean>>, Rule]> = [
      [{}, active((facts) => isPublic(facts) || isSubscribed(facts))],
      [{ include_all: true, exclude_archived: false }, seesMetadata],
      [{ include_all_active: true }, active(seesMetadata)],
      [{ ...none, include_public: true }, isPublic],
      [{ ...none, include_subscribed: true }, isSubscribed],
      [{ ...none, include_web_public: true }, ({ privacy }) => privacy === "web-public"],
      [{ ...none, include_can_access_content: true }, readsContent],
      // Whether the bot sees them itself or not, it may post there.
      [
        { ...none, include_owner_subscribed: true },
        ({ owner }) => owner?.subscription === "subscribed",
      ],
    ];
    for (const [params, rule] of lists)
      agree(await listedOtherwise(rule, list(params)), JSON.stringify(params));
    const own = async (name: string) =>
      idsOf(succeeded(await world.as(name).get("/api/v1/users/me/subscriptions"))["subscriptions"]);
    agree(await listedOtherwise(active(isSubscribed), own), "own subscriptions");
  });

  for (const able of [true, false])
    it(`the snapshot for a client that ${able ? "knows" : "does not know"} archived channels`, async () => {
      const sections = ["stream", "subscription"];
      const client_capabilities = { archived_channels: able };
      const snapshots = await each((name) =>
        snapshotOf(world.as(name), sections, { client_capabilities, include_subscribers: true }),
      );
      const seen =
        (subscription?: Case["subscription"]): Rule =>
        (facts) =>
          (able || !facts.archived) &&
          seesMetadata(facts) &&
          (subscription === undefined || facts.subscription === subscription);
      const lists: Readonly<Record<string, Rule>> = {
        streams: seen(),
        subscriptions: seen("subscribed"),
        unsubscribed: seen("was subscribed"),
        never_subscribed: seen("never"),
      };
      for (const [list, rule] of Object.entries(lists))
        agree(await listedOtherwise(rule, async (name) => idsOf(snapshots(name)[list])), list);
    });
});
