import { z } from "zod";

/** What clients know of a device of theirs, by its id (push.md §5). Token ids are Base64. */
export const deviceObject = z.strictObject({
  push_key_id: z.int().nullable(),
  push_token_id: z.string().nullable(),
  pending_push_token_id: z.string().nullable(),
  /** UNIX seconds */
  push_token_last_updated_timestamp: z.int().nullable(),
  push_registration_error_code: z.string().nullable(),
});

export type DeviceObject = z.output<typeof deviceObject>;
