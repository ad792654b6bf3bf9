import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { Unusable } from "../primitives/parameter.ts";
import { path } from "../primitives/path.ts";

/** Maximum number of domains of an organization: every registration gets all of them. */
export const maxDomains = 1_000;

/** A domain as clients see it (users.md §5.1). */
export const domainObject = z.strictObject({ domain: z.string(), allow_subdomains: z.boolean() });
export type DomainObject = z.infer<typeof domainObject>;

/** Maximum characters of a domain, which its column holds. */
const maxLength = 253;

/** Labels of RFC 1035 that may begin with a digit, at least two of them. */
const domainName =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Trims a domain, and makes it lower case; returns undefined for a text that is none. */
export function parseDomain(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  return name.length <= maxLength && domainName.test(name) ? name : undefined;
}

const domain = form
  .custom({
    schema: { type: "string" },
    json: false,
    decode(text) {
      const name = parseDomain(text);
      if (name === undefined) throw new Unusable("must be a domain such as example.com");
      return name;
    },
  })
  .describe("Such as `example.com`.");

/** `GET /realm/domains` (users.md §5.1). */
export const listDomains = operation({
  id: "list-domains",
  method: "GET",
  path: "/api/v1/realm/domains",
  access: "account",
  summary: "List domains of e-mail addresses",
  description:
    "With the setting `emails_restricted_to_domains`, new accounts need an address of one of these domains.",
  result: { domains: z.array(domainObject) },
});

/** `POST /realm/domains` (users.md §5.1). */
export const addDomain = operation({
  id: "add-domain",
  method: "POST",
  path: "/api/v1/realm/domains",
  access: "owner",
  idempotencyKey: true,
  summary: "Add a domain of e-mail addresses",
  example: { params: { domain: "carillon-$RANDOM.example", allow_subdomains: "true" } },
  description: `An organization has at most ${maxDomains}.`,
  params: {
    domain,
    allow_subdomains: form
      .bool()
      .describe("Whether addresses of its subdomains are accepted as well."),
  },
  result: {
    new_domain: z.tuple([z.int(), z.string()]).describe("The ID and the domain as it is stored."),
  },
});

/** `PATCH /realm/domains/{domain}` (users.md §5.1). */
export const updateDomain = operation({
  id: "update-domain",
  method: "PATCH",
  path: "/api/v1/realm/domains/{domain}",
  access: "owner",
  idempotencyKey: true,
  summary: "Update a domain of e-mail addresses",
  example: {
    path: { domain: "example.org" },
    params: { allow_subdomains: "false" },
    refused: [400, "the domain is not in the list"],
  },
  pathParams: { domain: path.text() },
  params: { allow_subdomains: form.bool() },
});

/** `DELETE /realm/domains/{domain}` (users.md §5.1). */
export const removeDomain = operation({
  id: "remove-domain",
  method: "DELETE",
  path: "/api/v1/realm/domains/{domain}",
  access: "owner",
  idempotencyKey: true,
  summary: "Remove a domain of e-mail addresses",
  example: { path: { domain: "example.org" }, refused: [400, "the domain is not in the list"] },
  description:
    "Accounts keep their addresses. Removing the last domain turns `emails_restricted_to_domains` off.",
  pathParams: { domain: path.text() },
});

const list = { list: "realm_domains", by: "domain" } as const;

export const domainAdded = event({
  type: "realm_domains",
  op: "add",
  about: "The organization has a new domain of e-mail addresses.",
  to: "everybody",
  fields: { realm_domain: domainObject },
  snapshot: { ...list, adds: "realm_domain" },
});

export const domainChanged = event({
  type: "realm_domains",
  op: "change",
  about: "A domain of e-mail addresses accepts subdomains now, or does not any more.",
  to: "everybody",
  fields: { realm_domain: domainObject },
  snapshot: { ...list, replaces: "realm_domain" },
});

export const domainRemoved = event({
  type: "realm_domains",
  op: "remove",
  about: "The organization has removed a domain of e-mail addresses.",
  to: "everybody",
  fields: { domain: z.string() },
  snapshot: { ...list, removes: "domain" },
});
