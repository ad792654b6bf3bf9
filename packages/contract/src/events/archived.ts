import { z } from "zod";

/** Ids of those channels of an event that are archived: clients that do not know what that is do not have them. */
export const archivedAmongThem = z.array(z.int()).optional();

/** On what only clients are told that do not know archived channels, when one comes back: they have lost it. */
export const forClientsWithout = z.literal("archived_channels").optional();
