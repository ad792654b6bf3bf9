import { restoreMessages } from "@carillon/domain";
import { type Answer, nth, useFakeBouncer, useScene } from "@carillon/testkit";
import { expect } from "chai";

import { type Chance, withChance } from "../faults/support/chance.ts";
import { AwayWorld, lostQueue, recordVisit, sendAway } from "./support/away-world.ts";
import { sendNotices } from "./support/notices.ts";

const steps = 60;

/** Settings that decide about notifications. */
const notifications = [
  "enable_stream_push_notifications",
  "enable_stream_email_notifications",
  "enable_followed_topic_push_notifications",
  "enable_followed_topic_email_notifications",
  "enable_followed_topic_wildcard_mentions_notify",
  "enable_offline_push_notifications",
  "enable_offline_email_notifications",
  "wildcard_mentions_notify",
  "automatically_follow_topics_where_mentioned",
] as const;

/** Properties of a subscription that decide about notifications. */
const properties = [
  "is_muted",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const;

/** Actions of a deactivation: the person's messages are deleted (users.md §4). */
const deletions = {
  delete_public_channel_messages: true,
  delete_private_channel_messages: true,
  delete_direct_messages: true,
};

/** An operation that is done in both organizations. */
interface Step {
  readonly name: string;
  take(world: AwayWorld): Promise<Answer | void>;
}

// docs/decisions/083: answers, push notifications and mails are the same with and without deferred copies. In one of two
// organizations people are away; the same random operations must have the same results in both. The jobs that notify people
// run after each operation, because they read the policies at that time. If a person began to follow a topic before the job
// of an earlier message, this message would be pushed or mailed only where its copy exists.
describe("People who come back", function () {
  this.timeout(300_000);
  const scene = useScene();
  const bouncer = useFakeBouncer();

  it("see what they would see if they had not been away, and are notified of the same messages meanwhile", () =>
    withChance(async (chance) => {
      const worlds = [await AwayWorld.begin(scene), await AwayWorld.begin(scene)] as const;
      const walk = new Walk(chance);
      const log: string[] = [];
      const deferred = { before: 0, made: 0 };
      const notified = { pushes: 0, mails: 0 };
      /** Number of events to people after they came back. */
      let seen = 0;
      await sendNotices(scene.db, bouncer);
      for (let n = 0; n < steps; n++) {
        const leaving = chance.below(4) === 0 ? walk.leave() : undefined;
        if (leaving !== undefined) {
          log.push(`${leaving} goes away`);
          await sendAway(scene.db, nth(worlds[0].people, leaving));
          for (const world of worlds) world.closeQueue(leaving);
        }
        const step = walk.step();
        const statuses: unknown[] = [];
        for (const world of worlds) {
          await world.loadIds();
          const answer = await step.take(world);
          statuses.push([answer?.status, answer?.body.code]);
        }
        log.push(`${step.name}: ${String(statuses[0])}`);
        expect(statuses[0], log.join("\n")).to.deep.equal(statuses[1]);
        for (const world of worlds) await world.runJobs();
        for (const world of worlds) await world.loadIds();
        for (const person of walk.present()) {
          const events = await Promise.all(worlds.map((world) => world.eventsOf(person)));
          expect(events[0], `events of ${person}\n${log.join("\n")}`).to.deep.equal(events[1]);
          seen += nth(events, 0).filter((event) => event !== lostQueue).length;
        }
        const notices = await sendNotices(scene.db, bouncer);
        const [sent, wantedNotices] = worlds.map((world) => world.noticesOf(notices));
        expect(sent, `notices\n${log.join("\n")}`).to.deep.equal(wantedNotices);
        const isToAbsent = (text: string) =>
          walk.absent().some((one) => text.includes(`to ${one}: `));
        notified.pushes += sent?.pushes.filter(isToAbsent).length ?? 0;
        notified.mails += sent?.mails.filter(isToAbsent).length ?? 0;
        if (worlds[0].ids.length > 0) {
          const place = chance.below(worlds[0].ids.length);
          const readers = await Promise.all(worlds.map((world) => world.readersOf(place)));
          expect(readers[0], `readers of ${place}\n${log.join("\n")}`).to.deep.equal(readers[1]);
        }
        if (chance.below(7) !== 0) continue;
        const coming = walk.comeBack();
        if (coming === undefined) continue;
        log.push(`${coming} comes back`);
        deferred.made += await recordVisit(scene.db, nth(worlds[0].people, coming));
        deferred.before++;
        const [found, wanted] = await Promise.all(worlds.map((world) => world.stateOf(coming)));
        expect(found, log.join("\n")).to.deep.equal(wanted);
        for (const world of worlds) await world.openQueue(coming);
      }
      const archives = await Promise.all(worlds.map((world) => world.archive()));
      expect(archives[0], log.join("\n")).to.deep.equal(archives[1]);
      expect(deferred.made, "copies made at returns").to.be.greaterThan(0);
      expect(seen, "events after returns").to.be.greaterThan(0);
      expect(notified.pushes, "pushes to people who were away").to.be.greaterThan(0);
      expect(notified.mails, "mails to people who were away").to.be.greaterThan(0);
    }));
});

/** Chooses the next operation at random. */
class Walk {
  readonly #chance: Chance;
  readonly #away = new Set<number>();
  readonly #deactivated = new Set<number>();

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  leave(): number | undefined {
    const person = this.#pick(this.present());
    if (person !== undefined) this.#away.add(person);
    return person;
  }

  comeBack(): number | undefined {
    const person = this.#pick([...this.#away].filter((one) => !this.#deactivated.has(one)));
    if (person !== undefined) this.#away.delete(person);
    return person;
  }

  absent(): readonly number[] {
    return [...this.#away];
  }

  present(): readonly number[] {
    return [0, 1, 2, 3, 4].filter((one) => !this.#away.has(one) && !this.#deactivated.has(one));
  }

  #pick<T>(values: readonly T[]): T | undefined {
    return values[this.#chance.below(Math.max(1, values.length))];
  }

  step(): Step {
    const room = this.#chance.below(3);
    const other = this.#chance.below(3);
    const topic = nth(["a", "b"], this.#chance.below(2));
    const person = this.#chance.below(5);
    const draw = this.#chance.below(1_000);
    const text = this.#text();
    const actor = this.#pick(this.present());
    const kind = this.#chance.below(29);
    const message = (world: AwayWorld) => world.ids[draw % Math.max(1, world.ids.length)] ?? 1;
    const send = (name: string, as: number | undefined): Step => ({
      name: `${name} sends to ${room}>${topic}: ${text.name}`,
      take: (world) =>
        (as === undefined ? world.owner : world.as(as)).post("/api/v1/messages", {
          type: "channel",
          to: nth(world.rooms, room).id,
          topic,
          content: text.of(world),
        }),
    });
    if (kind < 9) return send("owner", undefined);
    if (kind < 11) return send(`${actor}`, actor);
    switch (kind) {
      case 11:
        return {
          name: `owner writes to ${person}`,
          take: (world) =>
            world.owner.post("/api/v1/messages", {
              type: "direct",
              to: [nth(world.people, person).id],
              content: "hello",
            }),
        };
      case 12:
      case 13:
        return {
          name: `owner edits ${draw}: ${text.name}`,
          take: (world) =>
            world.owner.patch(`/api/v1/messages/${message(world)}`, { content: text.of(world) }),
        };
      case 14:
      case 15: {
        const mode = nth(["change_one", "change_later", "change_all"], this.#chance.below(3));
        return {
          name: `owner moves ${draw} to ${other}>${topic} (${mode})`,
          take: (world) =>
            world.owner.patch(`/api/v1/messages/${message(world)}`, {
              stream_id: nth(world.rooms, other).id,
              topic,
              propagate_mode: mode,
            }),
        };
      }
      case 16:
        return {
          name: `owner deletes ${draw}`,
          take: (world) => world.owner.delete(`/api/v1/messages/${message(world)}`),
        };
      case 17:
        return {
          name: `${room} is restored`,
          take: async (world) => {
            await restoreMessages(world.db, { channel: nth(world.rooms, room).id });
          },
        };
      case 18:
      case 19:
        return {
          name: `owner removes ${person} from ${room}`,
          take: (world) =>
            world.owner.delete("/api/v1/users/me/subscriptions", {
              subscriptions: [nth(world.rooms, room).name],
              principals: [nth(world.people, person).id],
            }),
        };
      case 20:
      case 21:
        return {
          name: `owner adds ${person} to ${room}`,
          take: (world) =>
            world.owner.post("/api/v1/users/me/subscriptions", {
              subscriptions: [{ name: nth(world.rooms, room).name }],
              principals: [nth(world.people, person).id],
            }),
        };
      case 22: {
        const isDeactivated = this.#deactivated.has(person);
        if (isDeactivated) this.#deactivated.delete(person);
        else if (this.#deactivated.size < 2) this.#deactivated.add(person);
        else return send("owner", undefined);
        const actions = this.#chance.below(2) === 0 ? deletions : {};
        return {
          name: `owner ${isDeactivated ? "reactivates" : "deactivates"} ${person} ${Object.keys(actions).join(" ")}`,
          take: (world) =>
            isDeactivated
              ? world.owner.post(`/api/v1/users/${nth(world.people, person).id}/reactivate`)
              : world.owner.delete(`/api/v1/users/${nth(world.people, person).id}`, { actions }),
        };
      }
      case 26: {
        const name = nth(notifications, this.#chance.below(notifications.length));
        const isOn = this.#chance.below(3) > 0;
        return {
          name: `owner sets ${name} of ${person} to ${isOn}`,
          take: (world) =>
            world.owner.patch("/api/v1/settings", {
              [name]: isOn,
              target_users: { user_ids: [nth(world.people, person).id] },
            }),
        };
      }
      default:
        return this.#own(actor, { kind, room, topic, person, message });
    }
  }

  /** Returns an operation of a present person on their own account. */
  #own(
    actor: number | undefined,
    {
      kind,
      room,
      topic,
      person,
      message,
    }: {
      readonly kind: number;
      readonly room: number;
      readonly topic: string;
      readonly person: number;
      readonly message: (world: AwayWorld) => number;
    },
  ): Step {
    if (actor === undefined) return { name: "nobody is there", take: async () => {} };
    if (kind === 23) {
      const policy = this.#chance.below(4);
      return {
        name: `${actor} sets the policy of ${room}>${topic} to ${policy}`,
        take: (world) =>
          world.as(actor).post("/api/v1/user_topics", {
            stream_id: nth(world.rooms, room).id,
            topic,
            visibility_policy: policy,
          }),
      };
    }
    if (kind === 27) {
      const property = nth(properties, this.#chance.below(properties.length));
      const value = this.#chance.below(2) === 0;
      return {
        name: `${actor} sets ${property} of ${room} to ${value}`,
        take: (world) =>
          world.as(actor).post("/api/v1/users/me/subscriptions/properties", {
            subscription_data: [{ stream_id: nth(world.rooms, room).id, property, value }],
          }),
      };
    }
    if (kind === 28) {
      const setting = nth(notifications, this.#chance.below(notifications.length));
      const value = this.#chance.below(2) === 0;
      return {
        name: `${actor} sets ${setting} to ${value}`,
        take: (world) => world.as(actor).patch("/api/v1/settings", { [setting]: value }),
      };
    }
    if (kind === 24 && actor !== person)
      return {
        name: `${actor} mutes ${person}`,
        take: (world) =>
          world.as(actor).post(`/api/v1/users/me/muted_users/${nth(world.people, person).id}`),
      };
    return {
      name: `${actor} reads a message`,
      take: (world) =>
        world.as(actor).post("/api/v1/messages/flags", {
          messages: [message(world)],
          op: "add",
          flag: "read",
        }),
    };
  }

  #text(): { readonly name: string; readonly of: (world: AwayWorld) => string } {
    const person = this.#chance.below(5);
    const texts = [
      { name: "soup", of: () => "soup of the day" },
      { name: "plain", of: () => "hello" },
      { name: "plain", of: () => "good morning" },
      {
        name: `mention of ${person}`,
        of: (world: AwayWorld) => `@**${nth(world.people, person).fullName}** look`,
      },
      { name: "group", of: (world: AwayWorld) => `@*${world.group.name}* look` },
      { name: "everybody", of: () => "@**all** look" },
      { name: "topic", of: () => "@**topic** look" },
    ];
    return this.#pick(texts)!;
  }
}
