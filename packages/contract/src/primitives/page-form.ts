import { form } from "./form.ts";

/** Parameters of every form on a page. */
export const pageForm = {
  csrf_token: form
    .text()
    .default("")
    .describe("The token of the form; it fits the cookie that came with the page."),
};
