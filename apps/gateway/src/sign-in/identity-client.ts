import { isUnstorable } from "@carillon/contract";
import type { Identity } from "@carillon/domain";
import {
  type Cancellation,
  type Clock,
  isConfidential,
  Semaphore,
  systemClock,
  whenNeeded,
} from "@carillon/kit";
import type { IdentityProvider } from "@carillon/model";
import type { Configuration, ServerMetadata } from "openid-client";

import { boundedFetch } from "./bounded-fetch.ts";
import { IdentityRefused, ProviderUnavailable } from "./provider-errors.ts";

/** Loaded when first needed: most gateways have no identity provider. */
const loadLibrary = whenNeeded(() => import("openid-client"));
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** Milliseconds for all calls of one step of a sign-in together. */
const defaultTimeoutMs = 10_000;

/** Milliseconds for which the provider's metadata is cached. */
const keptMs = 3_600_000;

/** Maximum concurrent code exchanges; others wait. */
const maxCalls = 32;

/**
 * Accepted signature algorithms. `none` and those whose key is the client's secret are not among them: only the provider
 * must be able to sign.
 */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** What ties the provider's answer to the browser that asked (OpenID Connect Core §3.1.2.1, RFC 7636). */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** Signs people in at the identity provider by the authorization code flow (people.md §5). */
export class IdentityClient {
  readonly #provider: IdentityProvider;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #calls = new Semaphore(maxCalls);
  #metadata: { readonly value: ServerMetadata; readonly until: number } | undefined;
  #discovery: Promise<ServerMetadata> | undefined;
  /** The provider's keys; the library replaces them after five minutes, and when it meets a new key. */
  #keys: ReturnType<Library["getJwksCache"]>;

  constructor(
    provider: IdentityProvider,
    options: { readonly timeoutMs?: number | undefined; readonly clock?: Clock } = {},
  ) {
    this.#provider = provider;
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#clock = options.clock ?? systemClock;
  }

  /** Makes the values that tie an answer to one sign-in. */
  async makeChecks(): Promise<Omit<SignInChecks, "state">> {
    const { randomNonce, randomPKCECodeVerifier } = await loadLibrary();
    return { nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  }

  /**
   * Returns the address of the provider at which the person signs in.
   * @param redirectUri where the provider sends the browser afterwards
   * @throws ProviderUnavailable
   */
  async authorizationUrl(
    redirectUri: string,
    { state, nonce, verifier }: SignInChecks,
    signal: AbortSignal,
  ): Promise<string> {
    const library = await loadLibrary();
    return this.#within(signal, async (ends) => {
      const url = library.buildAuthorizationUrl(await this.#configure(library, ends), {
        redirect_uri: redirectUri,
        scope: this.#provider.scopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return url.href;
    });
  }

  /**
   * Exchanges the code of the provider's answer for the person's identity, and checks it: issuer, audience, times, nonce
   * and signature of the ID token.
   * @param callback the address that the provider has sent the browser to
   * @throws IdentityRefused, ProviderUnavailable
   */
  async identify(
    callback: URL,
    { state, nonce, verifier }: SignInChecks,
    signal: AbortSignal,
  ): Promise<Identity> {
    const library = await loadLibrary();
    const exchange = async (ends: AbortSignal) => {
      const config = await this.#configure(library, ends);
      try {
        const tokens = await library.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new IdentityRefused("the provider's answer has no ID token");
        const userInfo = this.#needsUserInfo(config, claims)
          ? await library.fetchUserInfo(config, tokens.access_token, claims.sub)
          : {};
        return this.#identityOf(claims, userInfo);
      } finally {
        this.#keys = library.getJwksCache(config) ?? this.#keys;
      }
    };
    return this.#within(signal, (ends) => this.#calls.run(() => exchange(ends), cancelledBy(ends)));
  }

  /** Runs one step with a time limit, and translates errors of the library. */
  async #within<T>(signal: AbortSignal, work: (ends: AbortSignal) => Promise<T>): Promise<T> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]);
    try {
      return await work(ends);
    } catch (error) {
      throw translated(error);
    }
  }

  /** Makes the library's configuration for one step; its calls are aborted when the step ends. */
  async #configure(library: Library, ends: AbortSignal): Promise<Configuration> {
    const metadata = await untilEnd(this.#discovered(library), ends);
    const { clientId, clientSecret } = this.#provider;
    const config = new library.Configuration(
      metadata,
      clientId,
      undefined,
      authenticationOf(library, metadata, clientSecret),
    );
    // `#askForMetadata` has checked the addresses without TLS.
    library.allowInsecureRequests(config);
    config[library.customFetch] = (url, options) => boundedFetch(url, options as RequestInit, ends);
    library.enableNonRepudiationChecks(config);
    if (this.#keys) library.setJwksCache(config, this.#keys);
    return config;
  }

  /** Returns the provider's metadata, from the cache if it is fresh. Concurrent sign-ins share one request. */
  async #discovered(library: Library): Promise<ServerMetadata> {
    const kept = this.#metadata;
    if (kept && this.#clock.now() < kept.until) return kept.value;
    this.#discovery ??= this.#discover(library).finally(() => (this.#discovery = undefined));
    return this.#discovery;
  }

  async #discover(library: Library): Promise<ServerMetadata> {
    const ends = AbortSignal.timeout(this.#timeoutMs);
    try {
      const value = await this.#askForMetadata(library, ends);
      this.#metadata = { value, until: this.#clock.now() + keptMs };
      return value;
    } catch (error) {
      throw new ProviderUnavailable("the discovery of OIDC_ISSUER failed", { cause: error });
    }
  }

  async #askForMetadata(library: Library, ends: AbortSignal): Promise<ServerMetadata> {
    const { issuer, clientId } = this.#provider;
    const config = await library.discovery(new URL(issuer), clientId, undefined, undefined, {
      execute: [library.allowInsecureRequests],
      [library.customFetch]: (url, options) => boundedFetch(url, options as RequestInit, ends),
    });
    const metadata: ServerMetadata = config.serverMetadata();
    // For some hosts the library accepts other issuers.
    if (new URL(metadata.issuer).href !== new URL(issuer).href)
      throw new Error("OIDC_ISSUER is not the issuer that the provider names");
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const)
      this.#checkEndpoint(name, metadata[name]);
    if (metadata.userinfo_endpoint !== undefined)
      this.#checkEndpoint("userinfo_endpoint", metadata.userinfo_endpoint);
    const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
    const accepted = algorithms.filter((name) => offered.includes(name));
    if (accepted.length === 0)
      throw new Error("the provider signs with no algorithm that is accepted");
    return { ...metadata, id_token_signing_alg_values_supported: accepted };
  }

  /**
   * Checks the URL of an endpoint: it must use TLS, unless the issuer does not and the endpoint is on this machine too.
   * @throws Error
   */
  #checkEndpoint(name: string, value: unknown): void {
    const address = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
    const isLocal = this.#provider.issuer.startsWith("http:");
    if (address?.protocol === "https:" || (isLocal && address && isConfidential(address))) return;
    throw new Error(`the provider names no usable ${name}`);
  }

  /**
   * Returns whether to ask the user info endpoint, because the ID token lacks the address, the name or the groups. Many
   * providers put these into the answer of that endpoint only.
   */
  #needsUserInfo(config: Configuration, claims: Claims): boolean {
    if (config.serverMetadata().userinfo_endpoint === undefined) return false;
    const { groupsClaim } = this.#provider;
    return (
      addressIn(claims) === undefined ||
      nameIn(claims) === undefined ||
      (groupsClaim !== undefined && claims[groupsClaim] === undefined)
    );
  }

  /**
   * Makes a person's identity from the claims of the ID token and of the user info endpoint.
   * @throws IdentityRefused if the subject cannot be stored
   */
  #identityOf(claims: Claims, userInfo: Claims): Identity {
    const { iss, sub } = claims;
    const { groupsClaim } = this.#provider;
    if (typeof iss !== "string" || typeof sub !== "string" || !isSubject(sub))
      throw new IdentityRefused("the provider's answer has no usable claim sub");
    return {
      issuer: iss,
      subject: sub,
      // Both claims of an address come from one source: one alone may be about another address.
      email: addressIn(claims) ?? addressIn(userInfo),
      name: nameIn(claims) ?? nameIn(userInfo),
      groups:
        groupsClaim === undefined
          ? undefined
          : (valuesOf(claims[groupsClaim]) ?? valuesOf(userInfo[groupsClaim])),
    };
  }
}

type Claims = Readonly<Record<string, unknown>>;

/** Returns the person's address if the provider has verified it. */
function addressIn({ email, email_verified: isVerified }: Claims): string | undefined {
  return typeof email === "string" && isVerified === true ? email : undefined;
}

/** Returns the person's name; undefined if there is none. */
function nameIn({ name, given_name: given, family_name: family }: Claims): string | undefined {
  if (isName(name)) return name;
  const parts = [given, family].filter(isName);
  return parts.length === 0 ? undefined : parts.join(" ");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Returns the values of a claim that may have several; undefined if it is neither a text nor a list. */
function valuesOf(claim: unknown): readonly string[] | undefined {
  if (typeof claim === "string") return [claim];
  if (!Array.isArray(claim)) return undefined;
  return claim.filter((value): value is string => typeof value === "string");
}

/** Whether the subject can be stored; OpenID Connect Core §2 allows at most 255 characters. */
function isSubject(text: string): boolean {
  return text !== "" && text.length <= 255 && !isUnstorable(text);
}

/** Chooses how the client proves who it is: the default of the specification, if the provider does not exclude it. */
function authenticationOf(library: Library, metadata: ServerMetadata, clientSecret: string) {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") || !methods.includes("client_secret_post")
    ? library.ClientSecretBasic(clientSecret)
    : library.ClientSecretPost(clientSecret);
}

/** Characters of a reason in the log: parts of it come from the provider and from the browser. */
const maxReason = 300;

/** Errors of the token endpoint that the operator must fix. */
const misconfigured = ["invalid_client", "unauthorized_client", "unsupported_grant_type"];

/** Converts an error to one of this folder's. The library's errors may contain tokens, so only their texts are kept. */
function translated(error: unknown): Error {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProviderUnavailable || cause instanceof IdentityRefused) return cause;
  if (!(error instanceof Error)) return new IdentityRefused("unknown error");
  const {
    code,
    error: named,
    status,
  } = error as {
    code?: unknown;
    error?: unknown;
    status?: unknown;
  };
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return new ProviderUnavailable("the identity provider did not answer in time");
  const text = [error.message, code, named]
    .filter((part) => typeof part === "string")
    .join(", ")
    .slice(0, maxReason);
  // Instead of `invalid_client`, providers may answer with a challenge to authenticate.
  return status === 401 || (typeof named === "string" && misconfigured.includes(named))
    ? new ProviderUnavailable(`the identity provider does not accept this server: ${text}`)
    : new IdentityRefused(text);
}

function cancelledBy(signal: AbortSignal): Cancellation {
  return {
    get reason() {
      return signal.aborted ? (signal.reason as Error) : undefined;
    },
    onEnd(listener) {
      signal.addEventListener("abort", listener, { once: true });
      return () => signal.removeEventListener("abort", listener);
    },
  };
}

/** Waits for shared work until the signal fires. */
async function untilEnd<T>(work: Promise<T>, ends: AbortSignal): Promise<T> {
  const cancellation = cancelledBy(ends);
  let stop = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    const refuse = () => reject(cancellation.reason ?? new Error("cancelled"));
    stop = cancellation.onEnd(refuse);
    if (cancellation.reason) refuse();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    stop();
  }
}
