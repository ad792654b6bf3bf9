/** Why a message can be reported (`server_report_message_types`). */
export const reportTypes = [
  { key: "spam", name: "Spam" },
  { key: "harassment", name: "Harassment" },
  { key: "inappropriate", name: "Inappropriate content" },
  { key: "norms", name: "Breaks the rules of the organization" },
  { key: "other", name: "Something else" },
] as const;
