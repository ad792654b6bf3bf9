import { Linkifiers } from "./linkifiers/linkifiers.ts";
import type { Lookups } from "./types.ts";

/** Knows nobody and nothing: for texts whose mentions mean nothing, such as descriptions. */
export const emptyLookups: Lookups = {
  fold: (name) => name.toLowerCase(),
  usersByName: new Map(),
  usersById: new Map(),
  groupsByName: new Map(),
  channelsByName: new Map(),
  newestMessageOfTopic: () => undefined,
  organizationUrl: "",
  emptyTopicDisplayName: "general chat",
  customEmoji: new Map(),
  linkifiers: new Linkifiers([]),
};
