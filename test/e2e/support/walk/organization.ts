import { updateRealm, updateSettingsDefaults, realmPermissions } from "@carillon/contract";
import { unique } from "@carillon/testkit";

import { groupValue, maybe, pick, someoneInCharge, step, type WalkStep } from "./walk.ts";

const permissions = Object.values(realmPermissions).map(({ name }) => name);

/** Steps of the organization and its permissions. */
export const organizationSteps: readonly WalkStep[] = [
  step(updateRealm, 5, (walk) => ({
    by: someoneInCharge(walk),
    params: pick(walk, [
      { name: unique("Ringers"), description: unique("We ring") },
      { waiting_period_threshold: pick(walk, [0, 3, 30]) },
      { require_unique_names: false, name_changes_disabled: maybe(walk) },
      {
        topics_policy: pick(walk, ["allow_empty_topic", "disable_empty_topic"]),
        message_edit_history_visibility_policy: pick(walk, ["all", "moves", "none"]),
        digest_weekday: walk.chance.below(7),
        send_channel_events_messages: maybe(walk),
      },
      {
        email_changes_disabled: maybe(walk),
        can_mention_many_users_group: { new: groupValue(walk) },
      },
      { [pick(walk, permissions)]: { new: groupValue(walk) } },
      {
        can_access_all_users_group: {
          new: walk.org.groups[
            pick(walk, ["role:everyone", "role:members", "role:members"] as const)
          ],
        },
      },
      { [pick(walk, permissions)]: { new: groupValue(walk) } },
    ]),
  })),
  step(updateSettingsDefaults, 2, (walk) => ({
    by: someoneInCharge(walk),
    params: pick(walk, [
      { enter_sends: maybe(walk), color_scheme: 1 + walk.chance.below(3) },
      { web_home_view: pick(walk, ["recent", "inbox"]) },
      { email_address_visibility: pick(walk, [1, 2, 3, 4, 5]) },
    ]),
  })),
];
