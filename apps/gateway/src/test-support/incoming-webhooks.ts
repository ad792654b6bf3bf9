import { readFileSync } from "node:fs";

import {
  type Answer,
  bot,
  channel,
  type GatewayClient,
  inChannel,
  messagesOf,
  type Scene,
  type TestAccount,
  type TestChannel,
  useScene,
} from "@carillon/testkit";

/** A request of another program to an incoming webhook. */
export interface Hook {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text and bytes are sent as they are, other values as JSON. */
  readonly body?: unknown;
}

/** Posts a payload with the bot's key in the address, or without any. */
export function post(
  client: GatewayClient,
  integration: string,
  bot: Pick<TestAccount, "apiKey"> | undefined,
  { query = {}, headers = {}, body = {} }: Hook = {},
): Promise<Answer> {
  const parameters = new URLSearchParams({ ...(bot && { api_key: bot.apiKey }), ...query });
  return client.send("POST", `/api/v1/external/${integration}?${parameters}`, {
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
  });
}

/** Returns the payload of a fixture of an integration. */
export function payloadOf(path: string): unknown {
  const url = new URL(`../webhooks/integrations/${path}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8"));
}

/** A scene with an incoming webhook bot of the member and a channel with the member, new for each test. */
export interface HookScene {
  readonly scene: Scene;
  readonly hook: TestAccount;
  readonly room: TestChannel;
  /** Posts a payload for the channel with the key of the bot. */
  readonly post: (integration: string, given?: Hook, by?: TestAccount) => Promise<Answer>;
  /** Reads the channel's messages, as the member. */
  readonly read: () => ReturnType<typeof messagesOf>;
}

/** Prepares the tests of the enclosing `describe`. */
export function useHookScene(): HookScene {
  const scene = useScene();
  let hook: TestAccount;
  let room: TestChannel;
  beforeEach("create a bot and a channel", async () => {
    const { db, org } = scene;
    hook = await bot(db, org.member, { botType: 2 });
    room = await channel(db, org.owner, { subscribers: [org.member] });
  });
  return {
    scene,
    get hook() {
      return hook;
    },
    get room() {
      return room;
    },
    post: (integration, given = {}, by = hook) =>
      post(scene.gateway.anonymous, integration, by, {
        ...given,
        query: { stream: String(room.id), ...given.query },
      }),
    read: () => messagesOf(scene.as(scene.org.member), inChannel(room.id)),
  };
}
