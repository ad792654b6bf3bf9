import { alertWord, changeSettings, muteUser, setTopicPolicy } from "@carillon/testkit";
import { expect } from "chai";
import type { Server } from "./server.ts";

/** Data of the first organization's member after some use, so that nothing that a client reads is empty. */
export interface BusyAccount {
  readonly userId: number;
  readonly channelId: number;
  /** User ids by account name. */
  readonly people: ReadonlyMap<string, number>;
  /** Messages to the member: direct, to a group of three, with a mention in the channel, with the empty topic. */
  readonly direct: number;
  readonly group: number;
  readonly mention: number;
  readonly withoutTopic: number;
  /** The member's own starred message. */
  readonly starred: number;
}

export async function makeBusy(server: Server): Promise<BusyAccount> {
  const people = new Map<string, number>();
  for (const name of ["owner", "admin", "guest", "member"] as const) {
    const { body } = await server.as(name).get("/api/v1/users/me");
    people.set(name, Number(body["user_id"]));
  }
  const id = (name: string) => people.get(name) ?? 0;
  const userId = id("member");
  const { body } = await server.as("member").get("/api/v1/streams");
  const [general] = body["streams"] as ReadonlyArray<{ stream_id: number }>;
  const channelId = general?.stream_id ?? 0;

  const send = async (from: "owner" | "member", params: Record<string, unknown>) => {
    const answer = await server.as(from).post("/api/v1/messages", params);
    expect(answer.body.result, answer.text).to.equal("success");
    return Number(answer.body["id"]);
  };
  const toChannel = { type: "channel", to: channelId };
  const starred = await send("member", {
    ...toChannel,
    topic: "chimes",
    content: "Mine",
    read_by_sender: true,
  });
  await server.db.rows(
    "UPDATE user_messages SET flags = flags | 2 WHERE user_id = $1 AND message_id = $2",
    [userId, starred],
  );
  const { db } = server;
  const [row] = await db.rows<{ realmId: number }>(
    `SELECT realm_id AS "realmId" FROM users WHERE id = $1`,
    [userId],
  );
  await alertWord(db, { id: userId, realmId: row?.realmId ?? 0 }, "bell");
  await muteUser(db, userId, id("guest"));
  await setTopicPolicy(db, userId, channelId, "noise", "muted");
  await changeSettings(db, userId, { twenty_four_hour_time: true });
  const wanted = { field_type: 1, name: "Instrument" };
  const field = await server.as("owner").post("/api/v1/realm/profile_fields", wanted);
  const data = [{ id: field.body["id"], value: "*Bells*" }];
  const said = await server.as("member").patch("/api/v1/users/me/profile_data", { data });
  expect(said.body.result, said.text).to.equal("success");
  const content = "@**Max Member** the bell rings";
  return {
    userId,
    channelId,
    people,
    starred,
    direct: await send("owner", { type: "direct", to: [userId], content: "Between us" }),
    group: await send("owner", { type: "direct", to: [userId, id("admin")], content: "Us three" }),
    mention: await send("owner", { ...toChannel, topic: "chimes", content }),
    withoutTopic: await send("owner", { ...toChannel, topic: "", content: "By the way" }),
  };
}
