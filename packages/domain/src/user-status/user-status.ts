/** What a person says of themselves; empty strings where nothing is set. Spelled as on the wire. */
export interface UserStatus {
  readonly status_text: string;
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
}

export const statusColumns = "s.status_text, s.emoji_name, s.emoji_code, s.reaction_type";

/** Only what is set. */
export function setFields(status: UserStatus): Partial<UserStatus> {
  const { status_text, emoji_name, emoji_code, reaction_type } = status;
  return {
    ...(status_text === "" ? {} : { status_text }),
    ...(emoji_name === "" ? {} : { emoji_name, emoji_code, reaction_type }),
  };
}
