import { type Endpoint, useEndpoint } from "./endpoint.ts";
import { type TestAccount, user } from "./factories/account.ts";
import { channel, type TestChannel } from "./factories/channel.ts";

import type { Params } from "./gateway-client.ts";
import {
  callsOf,
  type CallRow,
  makeCalls,
  mentionBot,
  saidBy,
  webhookBot,
} from "./requests/calling.ts";
import { type Scene, useScene } from "./scene.ts";

/** A person that mentions an outgoing webhook bot in a channel. Each test gets new ones, and may replace them. */
export interface CalledBotScene {
  readonly scene: Scene;
  readonly endpoint: Endpoint;
  person: TestAccount;
  owner: TestAccount;
  bot: TestAccount;
  room: TestChannel;
  /** Mentions the bot in the channel. @returns the id of the message */
  readonly mention: (text?: string, params?: Params) => Promise<number>;
  /** Makes all ready calls, then the calls that these have made ready, until none is left. */
  readonly work: () => Promise<void>;
  /** Returns the texts of the bot, oldest first. */
  readonly said: () => Promise<string[]>;
  /** Returns the states of the bot's calls, in the order of messages. */
  readonly states: () => Promise<Array<Pick<CallRow, "state" | "attempts" | "calls">>>;
}

/** Sets up a scene with a called bot for the tests of the enclosing `describe`. */
export function useCalledBotScene(): CalledBotScene {
  const scene = useScene();
  const endpoint = useEndpoint();
  const { db } = scene;
  const called = {
    scene,
    endpoint,
    mention: (text = "what is up?", params: Params = {}) =>
      mentionBot(scene.as(called.person), called.bot, called.room, text, params),
    work: () => makeCalls(db, called.bot),
    said: async () => (await saidBy(db, called.bot)).map(({ content }) => content),
    states: async () =>
      (await callsOf(db, called.bot)).map(({ state, attempts, calls }) => ({
        state,
        attempts,
        calls,
      })),
  } as CalledBotScene;
  beforeEach("create a bot that is called", async () => {
    // A job would continue with ready calls of bots of earlier tests.
    await db.rows("UPDATE outgoing_call SET state = 'ended' WHERE state = 'waiting'");
    called.person = await user(db, scene.org.realm);
    called.owner = await user(db, scene.org.realm);
    called.room = await channel(db, scene.org.realm, { subscribers: [called.person] });
    called.bot = await webhookBot(scene, called.owner, endpoint.url);
  });
  return called;
}
