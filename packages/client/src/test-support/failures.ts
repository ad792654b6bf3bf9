import { ApiError } from "../index.ts";

/** Returns the error of a call that must fail. */
export async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`not an ApiError: ${String(error)}`, { cause: error });
}
