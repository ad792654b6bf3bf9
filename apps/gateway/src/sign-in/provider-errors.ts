/** The identity provider cannot be used now: it does not answer, fails, or is misconfigured. */
export class ProviderUnavailable extends Error {}

/** The identity provider has refused the sign-in, or its answer does not prove who the person is. */
export class IdentityRefused extends Error {}
