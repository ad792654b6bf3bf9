import { ApiError } from "@carillon/client";

/** Returns why a request failed, for people: the server's words if it has answered. */
export function reasonOf(error: unknown): string {
  const words = error instanceof ApiError ? error.data["msg"] : undefined;
  if (typeof words === "string") return words;
  return error instanceof Error ? error.message : String(error);
}
