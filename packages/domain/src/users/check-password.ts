import { errors } from "@carillon/contract";
import { codePointLength } from "@carillon/kit";

import { isCommonPassword } from "./common-passwords.ts";
import { passwordLength } from "./passwords.ts";

/** @throws ApiError `BAD_REQUEST` */
export async function checkPassword(password: string): Promise<void> {
  const length = codePointLength(password);
  const { min, max } = passwordLength;
  if (length < min) throw errors.badRequest(`password is too weak: use at least ${min} characters`);
  if (length > max) throw errors.badRequest(`password must not have more than ${max} characters`);
  if (await isCommonPassword(password))
    throw errors.badRequest(
      "password is one of the most common ones, which are guessed first: choose another",
    );
}
