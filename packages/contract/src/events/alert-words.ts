import { z } from "zod";
import { event } from "./event.ts";

export const alertWordsChanged = event({
  type: "alert_words",
  about: "The account's alert words changed: the event has all of them.",
  to: "some",
  receivers: "the account",
  fields: { alert_words: z.array(z.string()) },
  snapshot: { field: "alert_words", becomes: "alert_words" },
});
