/** Path of bull-board. */
export const boardPath = "/queues";

/** Paths and titles of all pages, in the order of the navigation. */
export const links = [
  ["/", "Overview"],
  ["/failed", "Failed messages"],
  ["/history", "History"],
  ["/look-up", "Look up"],
  ["/series", "Series"],
  ["/deletions", "Deletions"],
  ["/storage", "Storage"],
  ["/webhooks", "Webhooks"],
  ["/dead-letters", "Dead letters"],
  ["/audit", "Audit log"],
  [boardPath, "Queues"],
] as const;
