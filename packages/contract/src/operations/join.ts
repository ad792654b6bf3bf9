import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { pageForm } from "../primitives/page.ts";
import { path } from "../primitives/path.ts";

const page = { page: true, access: "anyone" } as const;
const text = "text/html";

/** The path of a link's page and of its form. */
const link = {
  ...page,
  path: "/join/{key}",
  pathParams: { key: path.key() },
  missingIs404: true,
} as const;

const example = { path: { key: "fromTheMail" } } as const;

/** `GET /join/{key}` (people.md §2). */
export const showJoin = operation({
  id: "show-join",
  method: "GET",
  ...link,
  example: { ...example, refused: [404, "there is no such link"] },
  raw: [{ status: 200, about: "A form.", type: text }],
  summary: "Show the page of a link",
  description:
    "The page of an invitation, a reusable link or a sign-up. It changes nothing, because mail scanners and browsers open links before a person does.",
});

/** `POST /join/{key}` (people.md §2). */
export const join = operation({
  id: "join",
  method: "POST",
  ...link,
  example: { ...example, refused: [403, "the token of the form is missing"] },
  summary: "Join an organization",
  description:
    "The form of `GET /join/{key}`. It makes an account. The form of a reusable link takes only `email`, and mails that address a link that is valid for 24 hours.",
  params: {
    ...pageForm,
    email: form.text().default("").describe("For a reusable link."),
    full_name: form.text().default(""),
    password: form.text().default(""),
    terms: form
      .text()
      .default("")
      .describe("`true` if the person agrees to the terms; required if the server has some."),
  },
  raw: [
    { status: 303, about: "To a page that says how to sign in, or to look for a mail." },
    { status: 400, about: "The form again, with what is wrong.", type: text },
  ],
});

/** `GET /joined` (people.md §2). */
export const showJoined = operation({
  id: "show-joined",
  method: "GET",
  ...page,
  path: "/joined",
  raw: [{ status: 200, about: "A page.", type: text }],
  summary: "Show how to sign in",
  description: "The page after an account was made.",
});

/** `GET /mail-sent` (people.md §2). */
export const showMailSent = operation({
  id: "show-mail-sent",
  method: "GET",
  ...page,
  path: "/mail-sent",
  raw: [{ status: 200, about: "A page.", type: text }],
  summary: "Show that a mail is on its way",
  description: "The page after an e-mail address was entered.",
});
