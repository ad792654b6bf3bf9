import * as contract from "@carillon/contract";
import {
  createReusableLink,
  invitationPages,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  sendInvitations,
  type WantedOffer,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { Pages } from "../http/pages.ts";

/** Maps what a link offers to the names that the rules use. */
function wantedOffer(input: contract.InputOf<typeof contract.createInviteLink>): WantedOffer {
  return {
    role: input.invite_as,
    channelIds: input.stream_ids,
    groupIds: input.group_ids,
    includeDefaults: input.include_realm_default_subscriptions,
    welcomeText: input.welcome_message_custom_text,
  };
}

export default [
  handle.reads(contract.listInvites, async ({ sql, snapshot, actor, services }) => {
    const list = await snapshot((tx) => listInvitations(tx, services.site, actor));
    const { items, lastId } = list.first;
    const isWhole = lastId === undefined;
    return {
      invites: isWhole ? items : new Pages(() => invitationPages(sql, services.site, list)),
    };
  }),

  // The refusal of some addresses follows the commit of the invitations to the others, so its answer cannot be stored.
  handle.inSteps(contract.sendInvites, async ({ input, actor, services }) => {
    const wanted = {
      ...wantedOffer(input),
      addresses: input.invitee_emails,
      notifyReferrer: input.notify_referrer_on_join,
      minutes: input.invite_expires_in_minutes,
    };
    const refusal = await services.db.transaction((tx) =>
      sendInvitations(tx, services.site, actor, wanted, services.inviteRules),
    );
    if (refusal) throw refusal;
  }),

  handle.changes(contract.createInviteLink, async ({ tx, input, actor, services }) => ({
    invite_link: await createReusableLink(tx, services.site, actor, {
      ...wantedOffer(input),
      minutes: input.invite_expires_in_minutes,
    }),
  })),

  handle.changes(contract.resendInvite, ({ tx, path, actor, services }) =>
    resendInvitation(tx, actor, path.invite_id, services.inviteRules),
  ),

  handle.changes(contract.revokeInvite, ({ tx, path, actor }) =>
    revokeInvitation(tx, actor, "email", path.invite_id),
  ),

  handle.changes(contract.revokeInviteLink, ({ tx, path, actor }) =>
    revokeInvitation(tx, actor, "multiuse", path.invite_id),
  ),
];
