import { recurring } from "../recurring.ts";

export const fileSearchWords = recurring({
  name: "file-words",
  about:
    "Moves the words of new messages from the pending list of the search index into the index itself. Sending fills the list, and every search scans it.",
  processes: ["worker"],
  every: "5s",
  leader: "one",
  bound: { batch: 1, batches: 1, of: "lists" },
  deadline: "1m",
});
