import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `server_emoji_data_url` (events.md §1.3). */
export const getEmojiData = operation({
  id: "get-emoji-data",
  method: "GET",
  path: "/static/emoji/{version}",
  access: "anyone",
  raw: [{ status: 200, about: "The names by code.", type: "application/json" }],
  summary: "Get the names of the emoji",
  description:
    'A JSON object: `{"code_to_names": {"1f642": ["smile", …], …}}`, the name that is shown first. Clients get the ' +
    "address, with the current version in it, as `server_emoji_data_url`; under that one the answer may be kept for " +
    "ever. Under any other version the answer is the current one too, for clients that talk to servers of two releases.",
  pathParams: { version: path.text() },
});
