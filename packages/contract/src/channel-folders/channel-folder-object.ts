import { z } from "zod";

/** A folder of channels as clients see it (channels.md §6). */
export const channelFolderObject = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** HTML, empty for an empty description. */
  rendered_description: z.string(),
  /** Its place: folders are sorted by it, then by their IDs. */
  order: z.int(),
  creator_id: z.int().nullable(),
  /** UNIX time in seconds; null where nobody wrote it down. */
  date_created: z.int().nullable(),
  is_archived: z.boolean(),
});
export type ChannelFolderObject = z.infer<typeof channelFolderObject>;
