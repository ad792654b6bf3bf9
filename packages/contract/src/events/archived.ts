import * as z from "zod";

/** Ids of the archived channels of an event: clients without the capability `archived_channels` do not have them. */
export const archivedChannelIds = z.array(z.int()).optional();

/** Marks events for clients without the capability `archived_channels` when a channel comes back from the archive. */
export const onlyWithoutCapability = z.literal("archived_channels").optional();
