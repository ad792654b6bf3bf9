import type { Database } from "@carillon/db";
import { expect } from "chai";
import type { Answer, GatewayClient } from "./gateway-client.ts";
import { countQueries } from "./query-counter.ts";

/** Headers that differ between equal answers. */
const changing = new Set(["date", "x-request-id", "set-cookie"]);

/**
 * Returns all that an outsider can compare of an answer: status, headers, text, and the statements, which take its time.
 */
export async function observed(db: Database, ask: () => Promise<Answer>): Promise<string> {
  const { result, statements } = await countQueries(db, ask);
  const headers = [...result.headers].filter(([name]) => !changing.has(name));
  return JSON.stringify([result.status, headers, result.text, statements]);
}

/**
 * Checks that a page refuses with this status: as a page, and without a form for 403, 404 and 429.
 * @returns the text of the page
 */
export function refusedByPage(
  answer: Pick<Answer, "status" | "text"> | undefined,
  status: 400 | 403 | 404 | 429,
): string {
  const { text = "" } = answer ?? {};
  expect(answer?.status, text).to.equal(status);
  expect(text).to.match(/^<!doctype html>[^]*<h1>/);
  if (status !== 400) expect(text).not.to.include("<form");
  return text;
}

/** A person's browser, as far as forms need one: it keeps cookies, and follows no redirects. */
export interface PageVisitor {
  /** Opens a page. */
  open(path: string): Promise<Answer>;
  /**
   * Opens a page and sends its form as the browser would, with its hidden fields.
   * @param fields values by name
   */
  submit(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Sends the form of a page that was opened before. */
  send(
    opened: Answer,
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

/**
 * Makes a browser without cookies.
 * @param client a client without credentials
 * @param usual headers of all its requests
 */
export function pageVisitor(
  client: Pick<GatewayClient, "send">,
  usual: Readonly<Record<string, string>> = {},
): PageVisitor {
  const cookies = new Map<string, string>();
  const request = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: URLSearchParams,
  ) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await client.send(method, path, {
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { Cookie: cookie }), ...usual, ...headers },
      ...(body && { body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  const send: PageVisitor["send"] = (opened, path, fields = {}, headers) => {
    const hidden = [
      ...opened.text.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g),
    ];
    const [, action = path] = /<form method="post"\s+action="([^"]+)"/.exec(opened.text) ?? [];
    const body = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return request("POST", action, headers, body);
  };
  return {
    open: (path) => request("GET", path),
    submit: async (path, fields, headers) =>
      send(await request("GET", path), path, fields, headers),
    send,
  };
}
