import * as z from "zod";

import { codeBlock } from "../foreign-text.ts";
import { format, integration } from "../integration.ts";
import { indentedJson } from "../indented-json.ts";

/** Any JSON, shown as it is (bot-platform.md §1.4). */
export default integration({
  name: "json",
  label: "JSON",
  events: [],
  formats: {
    payload: format(z.unknown(), (payload) => [
      { topic: "JSON", content: codeBlock("json", indentedJson(payload)) },
    ]),
  },
});
