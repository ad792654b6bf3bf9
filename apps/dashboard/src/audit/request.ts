import { BadParameter, given, givenText, givenTime } from "../http/parameters.ts";

/** Filter of the audit log, as requested. */
export interface AuditQuery {
  /** Name, subdomain or id. */
  readonly organization?: string;
  /** Name, e-mail address or id of the acting or changed account. */
  readonly account?: string;
  readonly type?: string;
  /** UNIX seconds, inclusive. */
  readonly since?: number;
  /** UNIX seconds, exclusive. */
  readonly until?: number;
}

/** Reads the filter of the audit log from the parameters of a request. @throws BadParameter */
export function readAuditQuery(fields: URLSearchParams): AuditQuery {
  const organization = givenText(fields, "organization", 60);
  const account = givenText(fields, "account", 254);
  const type = given(fields, "type");
  const since = givenTime(fields, "since");
  const until = givenTime(fields, "until");
  if (type !== undefined && !/^\w{1,60}$/.test(type))
    throw new BadParameter("type must be the type of an event as it is listed: user_deactivated");
  return {
    ...(organization === undefined ? {} : { organization }),
    ...(account === undefined ? {} : { account }),
    ...(type === undefined ? {} : { type }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}
