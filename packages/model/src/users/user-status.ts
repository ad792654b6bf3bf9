import { column, type RowOf } from "@carillon/db";

/** The rows of {@link statusColumns}. */
export const statusRow = {
  status_text: column.text,
  emoji_name: column.text,
  emoji_code: column.text,
  reaction_type: column.text,
};

/** What a person says of themselves; empty strings where nothing is set. Spelled as on the wire. */
export type UserStatus = RowOf<typeof statusRow>;

/** Of the table `user_status`, called `s`. */
export const statusColumns = "s.status_text, s.emoji_name, s.emoji_code, s.reaction_type";

/** Only what is set. */
export function setFields(status: UserStatus): Partial<UserStatus> {
  const { status_text, emoji_name, emoji_code, reaction_type } = status;
  return {
    ...(status_text === "" ? {} : { status_text }),
    ...(emoji_name === "" ? {} : { emoji_name, emoji_code, reaction_type }),
  };
}
