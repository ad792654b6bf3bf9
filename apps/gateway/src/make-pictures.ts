import {
  type ApiError,
  errors,
  type InputOf,
  type Operation,
  type PathOf,
} from "@carillon/contract";
import type { Sql, Tx } from "@carillon/db";
import {
  contentTypeOf,
  fileName,
  type LoggedIn,
  type MadePicture,
  mediaTypeOf,
  requestPictures,
  type StoredFile,
} from "@carillon/domain";
import { type ImageType, imageTypeOf, imageTypes } from "@carillon/images";
import type { PictureKind } from "@carillon/jobs";
import type { Site } from "@carillon/model";

import type { HandlerContext } from "./http/handler.ts";
import type { Services } from "./services.ts";

/** How an operation uses an uploaded picture. */
export interface PictureChange<Op extends Operation, Result> {
  readonly kind: PictureKind;
  /** The types of pictures that it takes; all unless given. */
  readonly types?: readonly ImageType[];
  /** Checks the request before its body is read, as {@link Handler.beforeFile} does. */
  before?(request: {
    readonly sql: Sql;
    readonly path: PathOf<Op>;
    readonly actor: LoggedIn;
  }): Promise<ApiError | undefined>;
  /** Uses the pictures that a worker has made. */
  change(request: {
    readonly tx: Tx;
    readonly path: PathOf<Op>;
    readonly input: InputOf<Op>;
    readonly actor: LoggedIn;
    readonly site: Site;
    readonly pictures: readonly MadePicture[];
  }): Promise<Result>;
}

/**
 * Lets a worker make the pictures of the request's file, and uses them in one transaction (files.md §6). No database
 * connection is held while the request waits.
 * @throws ApiError `BAD_IMAGE`; `INTERNAL_ERROR` (503) if no worker has finished in time: then nothing has changed
 */
export async function makePictures<Op extends Operation, Result>(
  { services, file, deadline }: HandlerContext<Op, Services>,
  actor: LoggedIn,
  { kind, types = imageTypes }: PictureChange<Op, Result>,
  change: (tx: Tx, pictures: readonly MadePicture[]) => Promise<Result>,
): Promise<Result> {
  if (!file) throw new Error("the operation is declared with takesFile");
  await checkType(file, types);
  const { db, pictures } = services;
  return pictures.limited(actor.id, deadline, async () => {
    const id = await db.transaction((tx) => requestPictures(tx, actor.realmId, kind, file.key));
    const outcome = await pictures.outcomeOf(actor.realmId, id, deadline);
    if (!outcome)
      throw errors.unavailable(
        "The server could not make the picture in time; nothing was changed",
      );
    if (outcome.pictures.length === 0) throw errors.badImage();
    return db.transaction((tx) => change(tx, outcome.pictures));
  });
}

/**
 * Throws ApiError `BAD_IMAGE` unless the content type and the first bytes of the file agree on one of `types`.
 */
async function checkType(
  { contentType, filename, head }: StoredFile,
  types: readonly ImageType[],
): Promise<void> {
  const type = imageTypeOf(head);
  const named = mediaTypeOf(await contentTypeOf(contentType, fileName(filename), head));
  if (type === undefined || type !== named || !types.includes(type))
    throw errors.badImage(
      `The file is not a picture of the types ${types.join(", ")}, or its content type is another one`,
    );
}
