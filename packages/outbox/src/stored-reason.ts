import { firstCodePoints } from "@carillon/kit";

/**
 * Why work failed, as a row keeps it: 1,000 characters at most, and none of U+0000, which PostgreSQL takes in no text. What
 * fails may say what others have sent, a mail server for example.
 */
export function storedReason(reason: string): string {
  return firstCodePoints(reason, 1_000).replaceAll("\0", "\ufffd");
}
