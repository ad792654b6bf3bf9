import { conflictOf, serverRoles, type ServerRole } from "@carillon/db";
import { databaseHosts } from "@carillon/kit";

import { type Finding, failed, ok, warning } from "./finding.ts";

/** Bytes of WAL by which a standby may be behind without a warning: one segment. */
const segment = 16 * 1024 * 1024;

/** Checks each server of a URL with several: which one accepts writes, and how far the standbys are behind. */
export async function examineServers(databaseUrl: string): Promise<Finding[]> {
  if (databaseHosts(databaseUrl).length < 2) return [];
  const roles = await serverRoles(databaseUrl);
  const conflict = conflictOf(roles);
  const primary = roles.find(({ acceptsWrites }) => acceptsWrites);
  return [
    ...roles.map((role) => examineServer(role, primary)),
    ...(conflict ? [failed("servers", conflict)] : []),
  ];
}

function examineServer(role: ServerRole, primary: ServerRole | undefined): Finding {
  const what = `server ${role.host}:${role.port}`;
  if (role.problem !== undefined)
    return warning(what, `does not answer (${role.problem}): a failover to it would fail`);
  if (role.acceptsWrites) return ok(what, `accepts writes, timeline ${role.timeline}`);
  if (!primary) return warning(what, "is read-only");
  if (role.cluster !== primary.cluster)
    return failed(what, `is not a standby of ${primary.host}:${primary.port}: it has other data`);
  const behind = Math.max(0, (primary.position ?? 0) - (role.position ?? 0));
  const text = `standby, ${Math.ceil(behind / 1024)} KiB behind`;
  return behind > segment ? warning(what, text) : ok(what, text);
}
