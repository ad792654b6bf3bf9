import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { IdentityProvider } from "@carillon/model";

import type { Variables } from "./processes.ts";

/** The npm package `oidc-provider`, at which everybody is signed in as one person without being asked. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** For `Site.identityProvider`. */
  readonly config: IdentityProvider;
  /** The configuration as environment variables, for a process. */
  readonly variables: Variables;
  /** The claims of the person who signs in; `sub` at least. */
  person: Readonly<Record<string, unknown> & { readonly sub: string }>;
  close(): Promise<void>;
}

export interface OpenIdProviderOptions {
  /** The address to which it sends browsers back. */
  readonly returnAddress: string;
  readonly person: OpenIdProvider["person"];
  /** Overrides of the configuration. */
  readonly config?: Partial<IdentityProvider>;
}

const clientId = "carillon";
const clientSecret = "what the provider and Carillon share";

/** The provider's key: one for all providers of a process, because an RSA key takes 200 ms of a processor to make. */
let keys: ReturnType<typeof makeKeys> | undefined;
const makeKeys = () => generateKeyPairSync("rsa", { modulusLength: 2_048 });

/** Starts a provider on this machine. */
export async function startOpenIdProvider(options: OpenIdProviderOptions): Promise<OpenIdProvider> {
  // Imported here, so that other tests do not load it.
  const { default: Provider } = await import("oidc-provider");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config: IdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    displayName: "Team",
    displayIcon: null,
    scopes: "openid email profile groups",
    autoSignup: "rules",
    groupsClaim: undefined,
    roles: [],
    groups: [],
    subdomain: undefined,
    ...options.config,
  };
  const opened: OpenIdProvider = {
    issuer,
    config,
    variables: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_DISPLAY_NAME: config.displayName,
      OIDC_SCOPES: config.scopes,
    },
    person: options.person,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  const { privateKey } = (keys ??= makeKeys());
  const seconds = 60;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [options.returnAddress],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups"],
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...opened.person, sub: id }) }),
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig" }] },
    cookies: { keys: ["signs cookies"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: seconds,
      AuthorizationCode: seconds,
      Grant: seconds,
      IdToken: seconds,
      Interaction: seconds,
      Session: seconds,
    },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) {
      void answer(request, response);
      return;
    }
    void (async () => {
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      if (prompt.name === "login") {
        const result = { login: { accountId: opened.person.sub } };
        await provider.interactionFinished(request, response, result);
        return;
      }
      const grant = new provider.Grant({
        accountId: session?.accountId ?? "",
        clientId: String(params["client_id"]),
      });
      grant.addOIDCScope(String(params["scope"]));
      const result = { consent: { grantId: await grant.save() } };
      await provider.interactionFinished(request, response, result);
    })();
  });
  return opened;
}
