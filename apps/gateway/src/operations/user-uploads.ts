import * as contract from "@carillon/contract";
import { errors } from "@carillon/contract";
import {
  addAttachments,
  fileByPath,
  type LoggedIn,
  newAttachment,
  type NewAttachment,
  readTemporaryAddress,
  requireFile,
  requireThumbnail,
  type StoredFileRow,
  temporaryUrl,
} from "@carillon/domain";
import type { BatchHandler } from "../group-commit/batch-handler.ts";
import { handle } from "../handle.ts";
import { loaderSvg } from "../http/loader-svg.ts";
import { FileBody } from "../http/file-body.ts";
import { svgReply } from "../http/svg-reply.ts";
import type { Services } from "../services.ts";

/** Adds uploads to the attachments of their accounts. They have no text to render: only their number is limited. */
export const uploads: BatchHandler<NewAttachment, NewAttachment> = {
  write: addAttachments,
  weigh: () => 0,
};

export default [
  handle.inSteps(contract.uploadFile, async ({ services, actor, file }) => {
    if (!file) throw new Error("the operation is declared with takesFile");
    const upload = await newAttachment(actor, file);
    const { name, pathId } = await services.group.write(uploads, actor, upload);
    const url = `/user_uploads/${pathId}`;
    return { url, uri: url, filename: name };
  }),

  handle.reads(contract.getTemporaryUrl, async ({ path, actor, services }) => {
    const file = await readableFile(services, actor, path.path_id);
    return { url: temporaryUrl(services.site.secrets, file, file.now) };
  }),

  handle.readsRaw(contract.readTemporaryUrl, async ({ sql, path, services }) => {
    const address = readTemporaryAddress(services.site.secrets, path.address);
    const file = address && (await fileByPath(sql, address.pathId));
    if (!file || file.now >= address.expiresAt)
      throw errors.badRequest("This address is not valid, or has expired: ask for a new one");
    return { body: new FileBody(file, services.files) };
  }),

  handle.readsRaw(contract.readFile, async ({ path, actor, services }) => ({
    body: new FileBody(await readableFile(services, actor, path.path_id), services.files),
  })),

  handle.readsRaw(contract.downloadFile, async ({ path, actor, services }) => ({
    body: new FileBody(await readableFile(services, actor, path.path_id), services.files, {
      asAttachment: true,
    }),
  })),

  handle.readsRaw(contract.readThumbnail, async ({ sql, path, actor, services }) => {
    const [pathId, format] = splitAddress(path.address);
    const file = await readableFile(services, actor, pathId);
    const thumbnail = await requireThumbnail(sql, file, format);
    return { body: new FileBody(thumbnail, services.files) };
  }),

  handle.readsRaw(contract.readLoader, async () => svgReply(loaderSvg)),
];

/**
 * Returns a file that the account may read.
 * @throws ApiError `BAD_REQUEST` with status 404
 */
async function readableFile(
  { readableFiles }: Pick<Services, "readableFiles">,
  viewer: LoggedIn,
  pathId: string,
): Promise<StoredFileRow> {
  return requireFile(await readableFiles.find({ viewer, pathId }));
}

/** Splits the address of a thumbnail into the path of the file and the name of the format. */
function splitAddress(address: string): [pathId: string, format: string] {
  const slash = address.lastIndexOf("/");
  return [address.slice(0, Math.max(slash, 0)), address.slice(slash + 1)];
}
