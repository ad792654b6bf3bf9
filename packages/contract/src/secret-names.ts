/**
 * Names of the fields of answers and events that hold secrets. An answer that has one is not compressed
 * (http-contract.md §2.1). A test finds fields of results and events that sound like secrets and are not listed.
 */
export const secretNames: readonly string[] = [
  "api_key",
  "invite_link",
  "link_url",
  "signing_secret",
  "signing_secrets",
  "token",
];
