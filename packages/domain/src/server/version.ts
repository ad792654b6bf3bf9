/** What clients are told they talk to (http-contract.md §10): they choose their behaviour by the feature level. */
export const serverVersion = {
  zulip_version: "12.0",
  zulip_merge_base: "12.0",
  /** Do not raise it without the behaviour. */
  zulip_feature_level: 496,
} as const;
