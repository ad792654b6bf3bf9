import { ask } from "./health.ts";
import type { CredentialFiles } from "./zuliprc.ts";

/** What the greeting shows. */
export interface Greeting {
  site: string;
  /** Whether the browser client is served. */
  webClient: boolean;
  /** The gateway's local address; `site` may be behind a proxy that is not up yet. */
  gatewayUrl: string;
  dashboardUrl: string;
  dashboardUser: string;
  /** Where to find the dashboard's password. */
  dashboardPassword: string;
  dataDir: string;
  files: CredentialFiles;
  /** The address of the embedded bouncer. */
  bouncerUrl?: string;
}

/**
 * Makes the greeting: all addresses, and two commands that work as printed. Contains no secret: under systemd it goes to
 * the journal.
 */
export async function greet(greeting: Greeting): Promise<string> {
  const { site, dataDir, files } = greeting;
  const accounts = files.published()
    ? `${files.folder}/*.zuliprc (passwords: accounts.json beside them)`
    : (await hasOrganization(greeting.gatewayUrl))
      ? "npx carillon account list (a new API key: npx carillon key issue)"
      : "none yet: create an organization with npx carillon organization create";
  const lines = [
    "Carillon is running. Ctrl-C stops it.",
    "",
    ...(greeting.webClient ? [`  Client     ${site} (open it in a browser)`] : []),
    `  API        ${site}`,
    `  Reference  ${site}/api`,
    `  Dashboard  ${greeting.dashboardUrl} (user ${greeting.dashboardUser}, password: ${greeting.dashboardPassword})`,
    ...(greeting.bouncerUrl === undefined ? [] : [`  Bouncer    ${greeting.bouncerUrl}`]),
    `  Accounts   ${accounts}`,
    `  Data       ${dataDir} (logs: ${dataDir}/logs)`,
  ];
  const commands = await firstCommands(greeting);
  return [...lines, ...commands, ""].join("\n");
}

/**
 * Asks the gateway whether there is an organization. The credential files do not tell, because an organization that was
 * restored from a backup has none. A 503 may also mean that the gateway is overloaded or that the organization has moved.
 */
async function hasOrganization(gatewayUrl: string): Promise<boolean> {
  const signal = AbortSignal.timeout(5_000);
  const answer = await ask(`${gatewayUrl}/api/v1/server_settings`, { signal }).catch(() => {});
  return !(answer?.status === 503 && answer.body.includes("has no organization yet"));
}

async function firstCommands({ site, gatewayUrl, files }: Greeting): Promise<string[]> {
  const member = await files.credentials("member");
  if (!member) return [];
  const channelId = await findChannel(gatewayUrl, `${member.email}:${member.key}`);
  const config = await files.curlConfig("member");
  if (channelId === undefined || config === undefined) return [];
  const curl = `curl -sS -K ${shellWord(config)}`;
  const narrow = JSON.stringify([{ operator: "channel", operand: channelId }]);
  return [
    "",
    "Schedule a message five seconds ahead:",
    "",
    `  ${curl} ${site}/api/v1/scheduled_messages -d type=channel -d to=${channelId} -d topic=hello --data-urlencode 'content=Sent on time, once.' -d scheduled_delivery_timestamp=$(( $(date +%s) + 5 ))`,
    "",
    "and then read it:",
    "",
    `  ${curl} -G ${site}/api/v1/messages -d anchor=newest -d num_before=1 -d num_after=0 -d apply_markdown=false --data-urlencode 'narrow=${narrow}'`,
  ];
}

/** Quotes a word for a shell where necessary. */
function shellWord(text: string): string {
  return /^[\w./+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the id of the oldest channel that the member sees; undefined without one, or without the member's key. */
async function findChannel(gatewayUrl: string, credentials: string): Promise<number | undefined> {
  try {
    const { body } = await ask(`${gatewayUrl}/api/v1/streams`, {
      headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
      signal: AbortSignal.timeout(5_000),
    });
    const { streams } = JSON.parse(body) as { streams?: { stream_id: number }[] };
    return streams?.map(({ stream_id: id }) => id).toSorted((a, b) => a - b)[0];
  } catch {
    return undefined;
  }
}
