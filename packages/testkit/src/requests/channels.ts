import { listChannels, updateChannel, type ChannelObject, type InputOf } from "@carillon/contract";
import { expect } from "chai";
import type { TestAccount } from "../factories/account.ts";
import { idOf, type IdOrRow } from "../factories/channel.ts";
import type { Scene } from "../scene.ts";

/** Parameters of `PATCH /streams/{stream_id}` with any values; strings are sent unchanged. */
export type ChannelPatch = { readonly [Name in keyof InputOf<typeof updateChannel>]?: unknown };

/** Changes a channel, as an administrator by default. */
export function patchChannel(
  scene: Scene,
  channel: IdOrRow,
  params: ChannelPatch,
  by: TestAccount = scene.org.admin,
) {
  return scene.as(by).call(updateChannel, { path: { stream_id: idOf(channel) }, params });
}

/** Changes a channel and expects success; returns the resulting channel object. */
export async function patchedChannel(
  scene: Scene,
  channel: IdOrRow,
  params: ChannelPatch,
  by?: TestAccount,
): Promise<ChannelObject> {
  const { body } = await patchChannel(scene, channel, params, by);
  expect(body, JSON.stringify(body)).to.deep.equal({ result: "success", msg: "" });
  return shownChannel(scene, channel);
}

/** The channel object for an owner, archived or not. */
export async function shownChannel(scene: Scene, channel: IdOrRow): Promise<ChannelObject> {
  const { streams } = await scene.as(scene.org.owner).succeed(listChannels, {
    params: { include_all: true, exclude_archived: false, include_default: true },
  });
  const found = streams.find(({ stream_id }) => stream_id === idOf(channel));
  if (!found) throw new Error(`the organization has no channel ${idOf(channel)}`);
  return found;
}
