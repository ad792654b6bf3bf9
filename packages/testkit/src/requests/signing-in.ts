import type { Answer } from "../gateway-client.ts";
import type { Gateway } from "../gateway.ts";
import type { Lies, ScriptedProvider } from "../scripted-provider.ts";

/** A sign-in that a browser has begun. */
export interface BegunSignIn {
  readonly answer: Answer;
  /** The parameters with which the browser comes to the provider. */
  readonly asked: URLSearchParams;
  /** The cookie of the sign-in, as the browser sends it back. */
  readonly cookie: string;
}

/** Query parameters of the page that begins a sign-in. */
type Query = Readonly<Record<string, string>>;

/** Begins a sign-in at the identity provider, as a browser does. */
export async function beginSigningIn(
  gateway: Pick<Gateway, "anonymous">,
  query: Query = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<BegunSignIn> {
  const path = `/accounts/login/social/oidc?${new URLSearchParams(query).toString()}`;
  const answer = await gateway.anonymous.send("GET", path, { redirect: "manual", headers });
  const location = answer.headers.get("location");
  const [cookie = ""] = answer.headers.getSetCookie().map((text) => text.split(";")[0] ?? "");
  return {
    answer,
    asked: location === null ? new URLSearchParams() : new URL(location).searchParams,
    cookie,
  };
}

/** Comes back from the identity provider, with the cookie of the sign-in unless another is given. */
export function comeBack(
  gateway: Pick<Gateway, "anonymous">,
  { asked, cookie: own }: BegunSignIn,
  params: Query,
  cookie = own,
): Promise<Answer> {
  const query = new URLSearchParams({ state: asked.get("state") ?? "", ...params });
  return gateway.anonymous.send("GET", `/complete/oidc/?${query.toString()}`, {
    redirect: "manual",
    headers: cookie === "" ? {} : { Cookie: cookie },
  });
}

/** Signs a person in at the scripted provider. @returns the answer to the browser that comes back */
export async function signInAs(
  gateway: Pick<Gateway, "anonymous">,
  provider: ScriptedProvider,
  claims: Readonly<Record<string, unknown>>,
  { lies, query }: { readonly lies?: Lies; readonly query?: Query } = {},
): Promise<Answer> {
  const begun = await beginSigningIn(gateway, query);
  if (begun.answer.status !== 302)
    throw new Error(`the sign-in did not begin: ${begun.answer.text}`);
  return comeBack(gateway, begun, { code: provider.grant(begun.asked, claims, lies) });
}
