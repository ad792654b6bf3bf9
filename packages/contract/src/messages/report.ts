import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { reportTypes } from "./report-types.ts";

const [first, ...others] = reportTypes;

/** `POST /messages/{message_id}/report` (clients.md §4). */
export const reportMessage = operation({
  id: "report-message",
  method: "POST",
  path: "/api/v1/messages/{message_id}/report",
  access: "account",
  summary: "Report a message",
  example: {
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
    refused: [400, "no channel for reports has been chosen"],
  },
  description:
    "Reports go to the organization's channel for them. No organization has one yet, so that every report is refused.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    report_type: form.oneOf(first.key, ...others.map(({ key }) => key)),
    description: form
      .text()
      .optional()
      .describe("At most 1000 characters; required for the type `other`."),
  },
});
