import { createHash } from "node:crypto";

/** A generated picture for the organization at `url`, the same for as long as it has its address. */
export function realmIconUrl(url: string): string {
  const hash = createHash("md5").update(url).digest("hex");
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon`;
}
