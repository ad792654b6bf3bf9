import * as z from "zod";
import { bounds, maxChannels, type ItemLimit } from "../primitives/bounds.ts";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { roles } from "../primitives/roles.ts";
import { shape } from "../primitives/shape.ts";

/** Maximum addresses of one request. */
export const maxInvitees = 100;

/** Maximum number of reusable links of an organization that have not ended; the list of invitations contains them all. */
export const maxReusableLinks = 1_000;

/** Minutes until a link expires, unless the request says otherwise. */
const defaultMinutes = 14_400;
const maxMinutes = 5_256_000;

const maxGroups: ItemLimit = { count: bounds.channels, of: "groups" };

/** Maximum code points of the text that a new person gets. */
export const maxWelcomeText = 8_000;

const fields = {
  id: z.int(),
  invited_by_user_id: z.int(),
  /** UNIX seconds */
  invited: z.int(),
  /** UNIX seconds; null: never */
  expiry_date: z.int().nullable(),
  invited_as: z.int(),
};

/** An invitation or a reusable link, as clients get it (people.md §1). */
export const invite = z.discriminatedUnion("is_multiuse", [
  z.strictObject({
    ...fields,
    is_multiuse: z.literal(false),
    email: z.string(),
    notify_referrer_on_join: z.boolean(),
  }),
  z.strictObject({ ...fields, is_multiuse: z.literal(true), link_url: z.string() }),
]);

export type Invite = z.output<typeof invite>;

/** What a link gives, and how long it works. */
const offered = {
  group_ids: form
    .json(z.array(shape.id), { maxItems: maxGroups })
    .default([])
    .describe("IDs of user groups to which the caller may add members."),
  include_realm_default_subscriptions: form
    .bool()
    .default(false)
    .describe(
      "Whether the person is subscribed to the default channels as well, as they are when the person joins.",
    ),
  invite_as: oneInteger(Object.values(roles))
    .default(roles.member)
    .describe("The role. Only owners invite owners, and only administrators invite moderators."),
  invite_expires_in_minutes: form
    .int({ min: 1, max: maxMinutes })
    .nullable()
    .default(defaultMinutes)
    .describe("`null` for a link that does not expire."),
  welcome_message_custom_text: form
    .text()
    .optional()
    .describe(
      `Second message to the new person, at most ${maxWelcomeText} characters; empty for none. For administrators; unless given, the organization's text.`,
    ),
} as const;

const channelIds = form.json(z.array(shape.id), { maxItems: maxChannels });
const aboutChannels =
  "IDs of channels to which the person is subscribed: default channels, and those to which the caller may subscribe others.";

const humans = { access: "human" } as const;

/** `GET /invites` (people.md §1). */
export const listInvites = operation({
  id: "get-invites",
  method: "GET",
  path: "/api/v1/invites",
  ...humans,
  summary: "Get all invitations",
  description:
    "Those that can still be used: administrators get all, others their own. Not for guests.",
  result: { invites: z.array(invite) },
});

/** `POST /invites` (people.md §1). */
export const sendInvites = operation({
  id: "send-invites",
  method: "POST",
  path: "/api/v1/invites",
  ...humans,
  summary: "Send invitations",
  description: `Mails each address a link, with which one account can be made. For members of \`can_invite_users_group\`. If some addresses have an account, the others are invited, and the answer is \`INVITATION_FAILED\` with \`sent_invitations\`. Channels and groups, times addresses, are at most ${bounds.rows}.`,
  example: { params: { invitee_emails: "new-$RANDOM@example.com", stream_ids: "[]" } },
  errors: ["INVITATION_FAILED", "UNAUTHORIZED_PRINCIPAL"],
  params: {
    invitee_emails: form
      .text()
      .describe(
        `At most ${maxInvitees} addresses, separated by commas or line feeds; each may be \`Name <address>\`.`,
      ),
    stream_ids: channelIds.describe(aboutChannels),
    ...offered,
    notify_referrer_on_join: form
      .bool()
      .default(true)
      .describe("Whether the caller gets a message when a person joins."),
  },
});

/** `POST /invites/multiuse` (people.md §1). */
export const createInviteLink = operation({
  id: "create-invite-link",
  method: "POST",
  path: "/api/v1/invites/multiuse",
  ...humans,
  summary: "Create a reusable invitation link",
  description: `For members of \`create_multiuse_invite_group\`. Its page asks for an e-mail address, and mails a link for that address. An organization has at most ${maxReusableLinks} that can be used.`,
  example: { as: "admin" },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  params: { stream_ids: channelIds.default([]).describe(aboutChannels), ...offered },
  result: { invite_link: z.string() },
});

const oneInvite = {
  ...humans,
  idempotencyKey: true,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  pathParams: { invite_id: path.int() },
  example: { path: { invite_id: 1 }, refused: [400, "there is no such invitation"] },
} as const;

/** `POST /invites/{invite_id}/resend` (people.md §1). */
export const resendInvite = operation({
  id: "resend-email-invite",
  method: "POST",
  path: "/api/v1/invites/{invite_id}/resend",
  ...oneInvite,
  errors: ["INVITATION_FAILED", "UNAUTHORIZED_PRINCIPAL"],
  summary: "Resend an invitation",
  description: "Mails the same link again. Its time of expiry does not change.",
});

/** `DELETE /invites/{invite_id}` (people.md §1). */
export const revokeInvite = operation({
  id: "revoke-email-invite",
  method: "DELETE",
  path: "/api/v1/invites/{invite_id}",
  ...oneInvite,
  summary: "Revoke an invitation",
});

/** `DELETE /invites/multiuse/{invite_id}` (people.md §1). */
export const revokeInviteLink = operation({
  id: "revoke-invite-link",
  method: "DELETE",
  path: "/api/v1/invites/multiuse/{invite_id}",
  ...oneInvite,
  summary: "Revoke a reusable invitation link",
  description: "Links that its page has mailed end as well.",
});

export const invitesChanged = event({
  type: "invites_changed",
  about: "Invitations were made, revoked or used: fetch them again.",
  to: "some",
  receivers: "administrators, and whoever made the invitation",
  fields: {},
});
