import { uploadFile } from "@carillon/contract";
import { expect } from "chai";
import type { Answer, GatewayClient } from "../gateway-client.ts";

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

/** Checks the refusal of a request of tus, which has no envelope (files.md §7). */
export function refusedByTus(
  { status, text, headers }: Pick<Answer, "status" | "text" | "headers">,
  wanted: number,
  what = "",
): void {
  expect(status, `${what} ${text}`).to.equal(wanted);
  expect(headers.get("Tus-Resumable"), what).to.equal("1.0.0");
}
