import {
  muteUser,
  unmuteUser,
  updatePresence,
  updateSettings,
  updateStatus,
  updateStatusOfUser,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import { maybe, pick, someone, step, type WalkStep } from "./walk.ts";

/** Steps in which accounts change themselves. */
export const ownSteps: readonly WalkStep[] = [
  step(updateSettings, 3, (walk) => ({
    by: someone(walk),
    params: pick(walk, [
      { enter_sends: maybe(walk) },
      { timezone: pick(walk, ["Europe/Berlin", "Asia/Tokyo"]) },
      { color_scheme: 1 + walk.chance.below(3), enable_sounds: maybe(walk) },
      { full_name: unique("renamed") },
      { email_address_visibility: pick(walk, [1, 2, 3, 4, 5]) },
      { presence_enabled: maybe(walk) },
      { enable_drafts_synchronization: maybe(walk) },
      { default_language: pick(walk, ["en", "de"]) },
      {
        user_list_style: 1 + walk.chance.below(3),
        target_users: {
          user_ids: [someone(walk).id],
          group_ids: maybe(walk) ? walk.groups : [],
          skip_if_already_edited: maybe(walk),
        },
      },
    ]),
  })),
  step(updatePresence, 2, (walk) => ({
    by: someone(walk),
    params: { status: pick(walk, ["active", "idle"]), slim_presence: true },
  })),
  step(updateStatus, 2, (walk) => ({
    by: someone(walk),
    params: {
      ...(maybe(walk) ? {} : { emoji_name: pick(walk, ["", "car", "house"]) }),
      status_text: pick(walk, ["", "away", "at lunch"]),
    },
  })),
  step(updateStatusOfUser, 1, (walk) => ({
    by: someone(walk),
    path: { user_id: someone(walk).id },
    params: { status_text: pick(walk, ["", "ill", "at lunch"]) },
  })),
  step(muteUser, 1, (walk) => ({ by: someone(walk), path: { muted_user_id: someone(walk).id } })),
  step(unmuteUser, 1, (walk) => ({ by: someone(walk), path: { muted_user_id: someone(walk).id } })),
];
