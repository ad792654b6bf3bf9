import { Linkifiers } from "./linkifiers/linkifiers.ts";
import type { Lookups } from "./types.ts";

/** Empty lookups, for texts whose mentions are plain text, such as descriptions. */
export const emptyLookups: Lookups = {
  fold: (name) => name.toLowerCase(),
  usersByName: new Map(),
  usersById: new Map(),
  groupsByName: new Map(),
  channelsByName: new Map(),
  newestMessageOfTopic: () => undefined,
  organizationUrl: "",
  emptyTopicDisplayName: "general chat",
  uploads: new Map(),
  customEmoji: new Map(),
  linkifiers: new Linkifiers([]),
};
