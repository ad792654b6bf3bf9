import { recurring } from "../recurring.ts";

export const fileSearchWords = recurring({
  name: "file-words",
  about:
    "Moves the words of new messages from the pending list, which sending fills and every search has to scan, into the search index.",
  processes: ["worker"],
  every: "5s",
  leader: "one",
  bound: { batch: 1, batches: 1, of: "lists" },
  deadline: "1m",
});
