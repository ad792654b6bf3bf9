import { recurring } from "../recurring.ts";

export const fileSearchWords = recurring({
  name: "file-words",
  about:
    "Puts the words of new messages into the search index, out of the list that sending leaves them in and every search has to read.",
  processes: ["worker"],
  every: "5s",
  leader: "one",
  bound: { batch: 1, batches: 1, of: "lists" },
  deadline: "1m",
});
