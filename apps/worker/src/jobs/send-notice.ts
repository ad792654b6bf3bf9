import {
  sendChannelChangedNotices,
  sendChannelCreatedNotice,
  sendGroupMembershipNotices,
  sendInvitationAcceptedNotice,
  sendSubscribedNotice,
  sendNoSubscribersNotice,
  sendSignupNotice,
  sendSubscriptionNotice,
} from "@carillon/domain";
import { sendNotice } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Sends a notice of the notification bot. */
export default intentProcessor(sendNotice, async (tx, { realmId, payload }) => {
  switch (payload.kind) {
    case "subscribed":
      return sendSubscribedNotice(tx, realmId, payload);
    case "channel-created":
      return sendChannelCreatedNotice(tx, realmId, payload);
    case "signed-up":
      return sendSignupNotice(tx, realmId, payload);
    case "invitation-accepted":
      return sendInvitationAcceptedNotice(tx, realmId, payload);
    case "channel-changed":
      return sendChannelChangedNotices(tx, realmId, payload);
    case "bot-unheard":
      return sendNoSubscribersNotice(tx, realmId, payload);
    case "group-membership":
      return sendGroupMembershipNotices(tx, realmId, payload);
    case "event-subscription":
      return sendSubscriptionNotice(tx, realmId, payload);
  }
});
