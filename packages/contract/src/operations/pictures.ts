import * as z from "zod";
import { form } from "../primitives/form.ts";
import { operation, type RawAnswer } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** Maximum MiB of an uploaded avatar, icon, logo or emoji. */
export const maxPictureMib = 5;

/** Operations that take a picture and wait for a worker. */
export const takesPicture = {
  takesFile: true,
  takesPicture: true,
  bodyLimit: maxPictureMib * 1024 * 1024,
  errors: ["REQUEST_TOO_LARGE", "BAD_IMAGE"],
} as const;

/** A PNG of one pixel. */
export const examplePicture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const aboutFile =
  "The form has exactly one file part, of any name: a picture of at most 5 MiB (AVIF, GIF, JPEG, PNG, TIFF, WebP).";

/** `POST /users/me/avatar` (files.md §6). */
export const uploadAvatar = operation({
  id: "upload-avatar",
  method: "POST",
  path: "/api/v1/users/me/avatar",
  access: "account",
  ...takesPicture,
  summary: "Change your avatar",
  description: `${aboutFile} It is cut to a square.`,
  example: { file: { name: "me.png", base64: examplePicture } },
  result: { avatar_url: z.string() },
});

/** `DELETE /users/me/avatar` (files.md §6). */
export const deleteAvatar = operation({
  id: "delete-avatar",
  method: "DELETE",
  path: "/api/v1/users/me/avatar",
  access: "account",
  idempotencyKey: true,
  summary: "Remove your avatar",
  description: "You get a generated picture again.",
  result: { avatar_url: z.string() },
});

/** `POST /realm/icon` (files.md §6). */
export const uploadIcon = operation({
  id: "upload-icon",
  method: "POST",
  path: "/api/v1/realm/icon",
  access: "administrator",
  ...takesPicture,
  summary: "Change the organization's icon",
  description: `${aboutFile} It is cut to a square.`,
  example: { file: { name: "icon.png", base64: examplePicture } },
  result: { icon_url: z.string() },
});

/** `DELETE /realm/icon` (files.md §6). */
export const deleteIcon = operation({
  id: "delete-icon",
  method: "DELETE",
  path: "/api/v1/realm/icon",
  access: "administrator",
  idempotencyKey: true,
  summary: "Remove the organization's icon",
  result: { icon_url: z.string() },
});

const night = form
  .bool()
  .describe("Whether it is the logo for dark themes, which clients show instead of the other one.");

/** `POST /realm/logo` (files.md §6). */
export const uploadLogo = operation({
  id: "upload-logo",
  method: "POST",
  path: "/api/v1/realm/logo",
  access: "administrator",
  ...takesPicture,
  summary: "Change the organization's logo",
  description: `${aboutFile} It is made smaller if it is larger than 800 × 100 pixels.`,
  example: { file: { name: "logo.png", base64: examplePicture }, params: { night: false } },
  params: { night },
});

/** `DELETE /realm/logo` (files.md §6). */
export const deleteLogo = operation({
  id: "delete-logo",
  method: "DELETE",
  path: "/api/v1/realm/logo",
  access: "administrator",
  idempotencyKey: true,
  summary: "Remove the organization's logo",
  params: { night },
});

const pictureAnswers: readonly RawAnswer[] = [
  { status: 200, about: "The picture.", type: "image/png" },
  { status: 206, about: "The requested range of the picture.", type: "image/png" },
  { status: 304, about: "The client already has the picture." },
];

/** `GET /user_avatars/{path}` (files.md §6). */
export const readPicture = operation({
  id: "read-picture",
  method: "GET",
  path: "/user_avatars/{picture_path}",
  pathParams: { picture_path: path.rest({ anyText: true }) },
  access: "anyone",
  rateBucket: "files",
  summary: "Read an avatar, icon, logo or emoji",
  description:
    "Answers and events have the addresses of pictures. The picture of an address never changes, so clients may keep it.",
  example: {
    path: { picture_path: "1/unknown.png" },
    refused: [404, "no picture has this address"],
  },
  raw: pictureAnswers,
  missingIs404: true,
});

/** `GET /static/images/logo/carillon.svg` (files.md §6). */
export const readDefaultLogo = operation({
  id: "read-default-logo",
  method: "GET",
  path: "/static/images/logo/carillon.svg",
  access: "anyone",
  summary: "Read the logo of organizations without one",
  raw: [{ status: 200, about: "The logo.", type: "image/svg+xml" }],
});
