import {
  createChannelFolder,
  reorderChannelFolders,
  updateChannelFolder,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import { maybe, pick, someoneInCharge, step, type WalkStep } from "./walk.ts";

/** Steps of channel folders. */
export const channelFolderSteps: readonly WalkStep[] = [
  step(createChannelFolder, 2, (walk) => ({
    by: someoneInCharge(walk),
    params: { name: unique("folder"), description: pick(walk, ["", "of *all*"]) },
    onSuccess: (made) => void walk.folders.push(made["channel_folder_id"] as number),
  })),
  step(updateChannelFolder, 3, (walk) => {
    if (walk.folders.length === 0) return undefined;
    const params = pick(walk, [
      { name: unique("binder"), description: pick(walk, ["", "**loud**"]) },
      { description: unique("words") },
      { is_archived: maybe(walk) },
      { is_archived: maybe(walk), name: unique("drawer") },
    ]);
    return {
      by: someoneInCharge(walk),
      path: { channel_folder_id: pick(walk, walk.folders) },
      params,
    };
  }),
  step(reorderChannelFolders, 2, (walk) => {
    if (walk.folders.length === 0) return undefined;
    const cut = walk.chance.below(walk.folders.length);
    const order = [...walk.folders.slice(cut), ...walk.folders.slice(0, cut)];
    return { by: someoneInCharge(walk), params: { order } };
  }),
];
