import { readPresences } from "../../presence/read-presences.ts";
import type { Section } from "../context/section.ts";

/** When people were last there: by user ID for clients that say so, by e-mail address for older ones. */
export const presence: Section = {
  names: ["presence"],
  load: ({ tx, actor, slimPresence, presenceHistoryLimit }) =>
    readPresences(tx, actor, { modern: slimPresence, historyLimit: presenceHistoryLimit }),
};
