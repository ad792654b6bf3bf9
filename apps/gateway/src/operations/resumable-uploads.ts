import {
  createResumableUpload,
  deleteResumableUpload,
  findResumableUpload,
  resumeUpload,
} from "@carillon/contract";
import type { LoggedIn } from "@carillon/domain";
import { whenNeeded } from "@carillon/kit";
import { handle } from "../handle.ts";
import type { RawReply } from "../http/handler.ts";
import type { StreamedRequest } from "../http/streamed-request.ts";
import type { Services } from "../services.ts";
import { UploadSession } from "../tus/upload-session.ts";

/** Loads the library of tus with the first request, because most gateways never need it. */
const loadTus = whenNeeded(() => import("../tus/tus-server.ts"));

export default [
  handle.inStepsRaw(createResumableUpload, (context) => answer(context)),
  ...[findResumableUpload, resumeUpload, deleteResumableUpload].map((operation) =>
    handle.inStepsRaw(operation, (context) => answer(context, context.path.upload_id)),
  ),
];

interface Parts {
  readonly actor: LoggedIn;
  readonly services: Services;
  readonly request: StreamedRequest | undefined;
}

async function answer({ actor, services, request }: Parts, uploadId?: string): Promise<RawReply> {
  if (!request) throw new Error("the operation is declared with a protocol");
  const { answerTus } = await loadTus();
  const { url, uploads } = services.site;
  const session = new UploadSession(actor, services, request);
  return answerTus({ request, session, uploadId, maxSize: uploads.maxFileSize, publicUrl: url });
}
