import {
  type Answer,
  changeChannel,
  changesOf,
  channelMessage,
  deliver,
  type Params,
  succeeded,
  type TestAccount,
  toChannel,
  type ReceivedEvent,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  agree,
  differing,
  meetings,
  nowhere,
  oneInFive,
  plain,
  type Meeting,
  type Named,
} from "./support/channel-access/comparing.ts";
import {
  administers,
  posts,
  readsContent,
  seesMetadata,
  subscribesOthers,
  subscribesSelf,
  unsubscribesOthers,
  type Case,
} from "./support/channel-access/rules.ts";
import { makeWorld, type World } from "./support/channel-access/world.ts";

type Rule = (facts: Case) => boolean;
type Ask = (meeting: Meeting) => Promise<Answer>;

// channels.md §3, §5, §8 and scheduled-messages.md §0.4: every privacy × role × subscription, against the rules in
// support/channel-access/rules.ts. Steps that change subscriptions come last.
describe("Channels: permissions to post, administer and subscribe", function () {
  const scene = useScene();
  let world: World;
  let passerBy: TestAccount;
  /** In channels where all accounts may post, and in channels with restricted posting. */
  let open: readonly Meeting[];
  let limited: readonly Meeting[];
  let all: readonly Meeting[];

  before("make the world", async () => {
    world = await makeWorld(scene);
    passerBy = await user(scene.db, scene.org.realm);
    open = meetings(world, world.places);
    limited = meetings(world, world.limitedPlaces);
    all = [...open, ...limited];
  });

  /**
   * Tries the callers that must be refused first, which changes nothing, then the others.
   * @param unseen the error for callers who may not know of the channel, which may differ
   */
  async function decides(
    tried: readonly Meeting[],
    rule: Rule,
    ask: Ask,
    refusal: (facts: Case) => string = () => "400 BAD_REQUEST",
    say: (answer: Answer, meeting: Meeting) => string = ({ status, body }) =>
      `${status} ${String(body.code)}`,
  ): Promise<void> {
    const answered = async (meeting: Meeting) => {
      const answer = await ask(meeting);
      return answer.status === 200 ? "done" : say(answer, meeting);
    };
    const refused = tried.filter(({ facts }) => !rule(facts));
    const { result, tables } = await changesOf(scene.db, () =>
      differing(refused, refusal, answered),
    );
    agree(result, "refused");
    expect(tables, "tables that refused requests have changed").to.deep.equal([]);
    const allowed = tried.filter(({ facts }) => rule(facts));
    agree(await differing(allowed, () => "done", answered), "allowed");
  }

  /** Likewise, but callers who may not know of a channel get the error for an unknown channel. */
  async function decidesUnseen(
    tried: readonly Meeting[],
    rule: Rule,
    seen: Rule,
    request: (meeting: Pick<Meeting, "client">, channel: Named) => Promise<Answer>,
    refusal: (facts: Case) => string,
  ): Promise<void> {
    const unknown = plain(await request({ client: world.as("owner") }, nowhere), nowhere);
    expect(unknown).to.match(/^400 .*"code":"BAD_REQUEST"/);
    await decides(
      tried,
      rule,
      (meeting) => request(meeting, meeting.place.channel),
      (facts) => (seen(facts) ? refusal(facts) : unknown),
      (answer, { facts, place }) =>
        seen(facts) ? `${answer.status} ${String(answer.body.code)}` : plain(answer, place.channel),
    );
  }

  const message = ({ client, place }: Meeting, over: Params = {}) =>
    client.post("/api/v1/messages", toChannel(place.channel.id, { topic: "during", ...over }));

  describe("posting", () => {
    it("to an existing topic", () => decides(all, (facts) => posts(facts, "old"), message));

    it("to a new topic", () =>
      decides(
        [...oneInFive(open, 3), ...limited],
        (facts) => posts(facts, "new"),
        (meeting) => message(meeting, { topic: `of ${meeting.name}` }),
      ));

    it("by the channel's name: a hidden channel does not exist", async () => {
      const byName: Ask = (meeting) =>
        message(meeting, { to: JSON.stringify(meeting.place.channel.name) });
      const refusal = (facts: Case) => {
        const seen = seesMetadata(facts) || facts.owner?.subscription === "subscribed";
        return `400 ${seen ? "BAD_REQUEST" : "STREAM_DOES_NOT_EXIST"}`;
      };
      const rule: Rule = (facts) => posts(facts, "old");
      const tried = oneInFive(all, 0);
      await decides(
        tried.filter(({ facts }) => !facts.owner),
        rule,
        byName,
        refusal,
      );
      // The owner of a bot is notified if the bot's channel does not exist.
      const bots = tried.filter(({ facts }) => facts.owner);
      const answered = async (meeting: Meeting) => {
        const { status, body } = await byName(meeting);
        return status === 200 ? "done" : `${status} ${String(body.code)}`;
      };
      agree(await differing(bots, (facts) => (rule(facts) ? "done" : refusal(facts)), answered));
    });

    it("typing notifications", () =>
      decides(
        oneInFive(all, 1),
        (facts) => posts(facts, "old"),
        ({ client, place }) => {
          const where = { type: "channel", stream_id: place.channel.id, topic: "during" };
          return client.post("/api/v1/typing", { op: "start", ...where });
        },
      ));

    it("scheduling", () =>
      decides(
        oneInFive(all, 2),
        (facts) => posts(facts, "old"),
        ({ client, place }) => {
          const params = channelMessage(place.channel.id, { topic: "during" });
          return client.post("/api/v1/scheduled_messages", params);
        },
      ));

    it("delivery of messages scheduled before: sent if the sender may post when they are due", async () => {
      const key = (senderId: number, channelId: number) => `${senderId} ${channelId}`;
      const due = await scene.db.rows<{ id: number; senderId: number; channelId: number }>(
        `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content,
           client_id, deliver_at, read_by_sender)
         SELECT $1, w.sender_id, r.id, w.channel_id, 'during', 'hello', '<p>hello</p>',
           (SELECT min(id) FROM clients), date_trunc('second', now()) - interval '1 second', false
         FROM unnest($2::int[], $3::int[]) AS w (sender_id, channel_id)
         JOIN recipients r ON r.channel_id = w.channel_id
         RETURNING id, sender_id AS "senderId", channel_id AS "channelId"`,
        [
          scene.org.realm.id,
          all.map(({ name }) => world.accounts[name]?.id),
          all.map(({ place }) => place.channel.id),
        ],
      );
      const { tables } = await changesOf(scene.db, () => deliver(scene.db, scene.org.realm));
      expect(tables).to.include("messages");
      const rows = await scene.db.rows<{ id: number; delivered: boolean; failed: boolean }>(
        "SELECT id, delivered, failed FROM scheduled_messages WHERE id = ANY($1::bigint[])",
        [due.map(({ id }) => id)],
      );
      const outcomes = new Map(
        rows.map(({ id, delivered, failed }) => [id, delivered ? "sent" : failed ? "failed" : "?"]),
      );
      const found = new Map(
        due.map(({ id, senderId, channelId }) => [key(senderId, channelId), outcomes.get(id)]),
      );
      agree(
        await differing<string | undefined>(
          all,
          (facts) => (posts(facts, "old") ? "sent" : "failed"),
          async ({ name, place }) =>
            found.get(key(world.accounts[name]?.id ?? 0, place.channel.id)),
        ),
      );
    });
  });

  describe("administering", () => {
    const change =
      (params: Params) =>
      (meeting: Pick<Meeting, "client">, { id }: Named) =>
        meeting.client.patch(`/api/v1/streams/${id}`, params);
    const known: Rule = (facts) => administers(facts) || readsContent(facts);
    const refusal = (facts: Case) =>
      `400 ${administers(facts) ? "BAD_REQUEST" : "CANNOT_ADMINISTER_CHANNEL"}`;

    it("changes of properties, of archived channels too", () =>
      decidesUnseen(open, administers, known, change({ description: "new" }), refusal));

    for (const history of [true, false])
      it(`changes of readers, with ${history ? "shared" : "protected"} history: requires content access, too`, () => {
        const params = { is_private: !history, history_public_to_subscribers: history };
        const tried = open.filter(({ facts }) =>
          history ? !facts.privacy.startsWith("private") : facts.privacy === "private, protected",
        );
        const rule: Rule = (facts) => administers(facts) && readsContent(facts);
        return decidesUnseen(tried, rule, known, change(params), refusal);
      });

    it("archiving", async () => {
      const may: Rule = (facts) => administers(facts) && !facts.archived;
      const archive = ({ client }: Pick<Meeting, "client">, { id }: Named) =>
        client.delete(`/api/v1/streams/${id}`);
      const tried = oneInFive(open, 1);
      const refused = tried.filter(({ facts }) => !may(facts));
      await decidesUnseen(refused, may, known, archive, refusal);
      for (const { client, place, name } of tried.filter(({ facts }) => may(facts))) {
        const answer = await archive({ client }, place.channel);
        expect(answer.status, `${name} in ${place.title}: ${answer.text}`).to.equal(200);
        await changeChannel(scene.db, place.channel, { isArchived: false });
      }
    });

    const isAdministrator: Rule = ({ role }) => role === "owner" || role === "administrator";

    it("deletion of a topic: administrators with content access", () => {
      const reads: Rule = (facts) => readsContent(facts) && !facts.archived;
      return decidesUnseen(
        oneInFive(open, 2),
        (facts) => isAdministrator(facts) && reads(facts),
        (facts) => !isAdministrator(facts) || reads(facts),
        ({ client }, { id }) =>
          client.post(`/api/v1/streams/${id}/delete_topic`, { topic_name: "nothing" }),
        () => "400 UNAUTHORIZED_PRINCIPAL",
      );
    });

    for (const method of ["post", "delete"] as const)
      it(`${method === "post" ? "adding" : "removing"} a default channel: administrators, public channels only`, () =>
        decides(
          oneInFive(open, 3),
          (facts) =>
            isAdministrator(facts) && !facts.privacy.startsWith("private") && !facts.archived,
          ({ client, place }) =>
            client[method]("/api/v1/default_streams", { stream_id: place.channel.id }),
          (facts) => `400 ${isAdministrator(facts) ? "BAD_REQUEST" : "UNAUTHORIZED_PRINCIPAL"}`,
        ));
  });

  describe("events", () => {
    /** The events in the queues of all accounts during the work, by account. */
    async function received(
      params: Params,
      names: readonly string[],
      work: () => Promise<unknown>,
    ): Promise<(name: string) => readonly ReceivedEvent[]> {
      const queues = new Map<string, Params>();
      for (const name of names) {
        const asked = { fetch_event_types: [], ...params };
        const { queue_id, last_event_id } = succeeded(
          await world.as(name).post("/api/v1/register", asked),
        );
        queues.set(name, { queue_id, last_event_id, dont_block: true });
      }
      await work();
      const events = new Map<string, readonly ReceivedEvent[]>();
      for (const [name, queue] of queues) {
        const answer = await world.as(name).get("/api/v1/events", queue);
        events.set(name, succeeded(answer)["events"] as readonly ReceivedEvent[]);
      }
      return (name) => events.get(name) ?? [];
    }

    const active = () => open.filter(({ place }) => !place.archived);
    const announce = async () => {
      const herald = scene.as(world.herald);
      for (const { archived, channel } of world.places) {
        if (archived) continue;
        succeeded(await herald.post("/api/v1/messages", toChannel(channel.id)));
        const where = { type: "channel", stream_id: channel.id, topic: "during" };
        succeeded(await herald.post("/api/v1/typing", { op: "start", ...where }));
      }
    };
    const channelOf = (event: ReceivedEvent) =>
      event.type === "message"
        ? (event["message"] as { stream_id: number }).stream_id
        : (event["stream_id"] as number);

    for (const able of [true, false])
      it(`of a change: all who see the channel, and subscribers by a notice${able ? "" : ", unless it is archived and unknown to the client"}`, async () => {
        const client_capabilities = { archived_channels: able };
        const params = { event_types: ["stream", "message"], client_capabilities };
        const events = await received(params, Object.keys(world.accounts), async () => {
          const owner = scene.as(scene.org.owner);
          for (const { channel } of world.places) {
            const description = `for clients that are ${able ? "able" : "unable"}`;
            succeeded(await owner.patch(`/api/v1/streams/${channel.id}`, { description }));
          }
        });
        const found = async ({ name, place }: Meeting) =>
          events(name)
            .filter((event) => channelOf(event) === place.channel.id)
            .map(({ type, property }) => (type === "message" ? "notice" : String(property)));
        const rule = (facts: Case) => {
          if (!seesMetadata(facts) || (facts.archived && !able)) return [];
          return ["description", ...(facts.subscription === "subscribed" ? ["notice"] : [])];
        };
        agree(await differing(open, rule, found));
      });

    it("of messages and typing: subscribers only", async () => {
      const client_capabilities = { stream_typing_notifications: true };
      const params = { event_types: ["message", "typing"], client_capabilities };
      const events = await received(params, Object.keys(world.accounts), announce);
      const found = async ({ name, place }: Meeting) =>
        events(name)
          .filter((event) => channelOf(event) === place.channel.id)
          .map(({ type }) => type);
      const rule = ({ subscription }: Case) =>
        subscription === "subscribed" ? ["message", "typing"] : [];
      agree(await differing(active(), rule, found));
    });

    it("of messages: also to queues with all_public_streams", async () => {
      const listening = active().filter(({ facts }) => facts.role !== "guest");
      const names = [...new Set(listening.map(({ name }) => name))];
      const params = { event_types: ["message"], all_public_streams: true };
      const events = await received(params, names, announce);
      const found = async ({ name, place }: Meeting) =>
        events(name).some((event) => channelOf(event) === place.channel.id);
      const rule = ({ subscription, privacy }: Case) =>
        subscription === "subscribed" || !privacy.startsWith("private");
      agree(await differing(listening, rule, found));
    });
  });

  describe("subscribing", () => {
    const subscribe = ({ client, place }: Meeting, params: Params = {}) => {
      const subscriptions = [{ name: place.channel.name }];
      return client.post("/api/v1/users/me/subscriptions", { subscriptions, ...params });
    };

    it("others' unsubscriptions: by channel administrators", () =>
      decidesUnseen(
        open,
        unsubscribesOthers,
        seesMetadata,
        ({ client }, { name }) => {
          const params = { subscriptions: [name], principals: [passerBy.id] };
          return client.delete("/api/v1/users/me/subscriptions", params);
        },
        () => "400 BAD_REQUEST",
      ));

    it("others' subscriptions: by channel administrators and holders of the permission, with content access", async () => {
      const principals = [passerBy.id];
      await decides(open, subscribesOthers, (meeting) => subscribe(meeting, { principals }));
    });

    it("own subscriptions: with content access, never as a guest", async () => {
      await decides(oneInFive(open, 4), subscribesSelf, (meeting) => subscribe(meeting));
    });
  });
});
