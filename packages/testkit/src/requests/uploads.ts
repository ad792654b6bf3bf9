import { uploadFile } from "@carillon/contract";
import type { GatewayClient } from "../gateway-client.ts";

/** An uploaded file. */
export interface Uploaded {
  /** `/user_uploads/…` */
  readonly url: string;
  /** Its path below `/user_uploads/`. */
  readonly pathId: string;
  readonly filename: string;
}

/** Uploads a file that must be accepted. */
export async function upload(
  client: GatewayClient,
  name = "notes.txt",
  content: string | Uint8Array<ArrayBuffer> = `the content of ${name}`,
  type = "text/plain",
): Promise<Uploaded> {
  const file = new Blob([content], { type });
  const { url, uri, filename } = await client.succeed(uploadFile, { files: { [name]: file } });
  if (uri !== url) throw new Error(`uri ${uri} is not url ${url}`);
  return { url, pathId: url.slice("/user_uploads/".length), filename };
}
