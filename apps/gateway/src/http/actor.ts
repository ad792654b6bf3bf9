/** The account that sends a request, as far as the HTTP layer needs it; the injected `authenticate` may return more. */
export interface Actor {
  readonly id: number;
  readonly realmId: number;
  /** One of `roles`. */
  readonly role: number;
  readonly isBot: boolean;
  /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for humans */
  readonly botType: number | null;
  /** Whether the organization refuses requests that change something. Default: false. */
  readonly organizationReadOnly?: boolean;
}

export interface Credentials {
  /** As sent; addresses compare case-insensitively. Undefined for a key that is sent without an address. */
  readonly email: string | undefined;
  readonly apiKey: string;
}

/** Why no account was found. */
export interface AuthFailure {
  /** Only logged; the answer does not contain it. */
  readonly refused: string;
  /** The new address of the account's organization, if that has moved to another installation. */
  readonly movedTo?: string;
  /** Whether the account's organization continues at another installation under the same address. */
  readonly continuesElsewhere?: boolean;
}

/**
 * Looks up the account of the key; checks the address, and that account and organization are active. It uses the
 * services of the request, so that the look-up ends with the request.
 */
export type Authenticate<A extends Actor = Actor, Services = unknown> = (
  credentials: Credentials,
  services: Services,
) => Promise<A | AuthFailure>;

export const incomingWebhookBot = 2;
