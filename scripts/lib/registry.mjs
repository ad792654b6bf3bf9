import { capture } from "./run.mjs";

/** Time limit in milliseconds; npm itself would wait three times five minutes. */
const patienceMs = 15_000;
const network =
  /\bcode (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR|EIDLETIMEOUT|ERESPONSETIMEOUT|ECONNECTIONTIMEOUT)\b/;

/**
 * Checks with `npm ping`, which knows about proxies, whether the registry answers.
 * @param {[string, string[]]} ping the command line of `npm ping`
 * @returns {Promise<{ message: string } | undefined>} advice if it does not
 */
export async function registryTrouble([file, args]) {
  const patience = process.env.npm_config_fetch_timeout ? [] : [`--fetch-timeout=${patienceMs}`];
  const { output } = await capture(file, [...args, ...patience, "--fetch-retries=0"]);
  const code = network.exec(output)?.[1];
  if (code === undefined) return undefined;
  const registry = process.env.npm_config_registry ?? "https://registry.npmjs.org/";
  return {
    message: `The packages that Carillon needs could not be installed: the npm registry ${registry} cannot be reached (${code}), and npm's cache does not have them all.
Connect this machine to the network and run the command again. Behind a proxy set https_proxy; for another registry set npm_config_registry. Nothing has been started.`,
  };
}
