import { z } from "zod";

/** What a bot's owner is told of it, beside who it is. */
export const botFields = {
  api_key: z.string(),
  avatar_url: z.string(),
  /** Names of channels. */
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
};
