import type { PutObjectCommand, UploadPartCommand } from "./client.ts";

/**
 * Lets the SDK sign a command with a known hash of the body. Without it, the SDK hashes the whole body at once.
 * @param sha256 hexadecimal digits; undefined to let the SDK compute it
 */
export function signedWith<C extends PutObjectCommand | UploadPartCommand>(
  command: C,
  sha256: string | undefined,
): C {
  if (sha256 === undefined) return command;
  // Both kinds of commands have the same middleware in this step.
  (command as PutObjectCommand).middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers["x-amz-content-sha256"] = sha256;
      return next(args);
    },
    { step: "build", name: "hashOfBody" },
  );
  return command;
}
