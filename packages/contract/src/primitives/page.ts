import { form } from "./form.ts";

/** Parameters of every form on a page. */
export const pageForm = {
  csrf_token: form
    .text()
    .default("")
    .describe("The token of the form; it fits the cookie that came with the page."),
};

/** Properties of an operation that is a page, which people open without an account. */
export const page = { access: "anyone", page: true, missingIs404: true } as const;

/** The successful answer of an operation that shows a page. */
export const shownPage = [{ status: 200, about: "The page.", type: "text/html" }] as const;
