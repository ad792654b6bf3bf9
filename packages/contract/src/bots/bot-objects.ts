import { z } from "zod";

/** What a bot is made for: channels by their names. */
export const botDefaults = z.strictObject({
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
});

/** What goes beyond the user object of a bot, for its owner and administrators (users.md §5). */
export const botObject = z.strictObject({
  user_id: z.int(),
  /** Of outgoing webhooks, which there are none of. */
  services: z.array(z.never()),
  ...botDefaults.shape,
});

/** What the owner alone gets of a bot. */
const ownedFields = { api_key: z.string(), avatar_url: z.string(), ...botDefaults.shape };

export const createdBot = z.strictObject({ user_id: z.int(), ...ownedFields });

export const ownBot = z.strictObject({
  username: z.string(),
  full_name: z.string(),
  ...ownedFields,
});

export type BotDefaults = z.input<typeof botDefaults>;
export type BotObject = z.input<typeof botObject>;
export type CreatedBot = z.input<typeof createdBot>;
export type OwnBot = z.input<typeof ownBot>;
export type UpdatedBot = Omit<OwnBot, "username" | "api_key"> & {
  bot_owner?: string;
  service_interface: null;
  service_payload_url: null;
  config_data: null;
};
