import * as contract from "@carillon/contract";
import { changeOwnApiKey, fetchApiKey, fetchApiKeyForDevelopment } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.fetchApiKey, ({ sql, input, host, services }) =>
    fetchApiKey(sql, services.site, services.guesses, host, input),
  ),

  handle.reads(contract.devFetchApiKey, ({ sql, input, host, services }) =>
    fetchApiKeyForDevelopment(sql, services.site, host, input.username),
  ),

  handle.changes(contract.regenerateApiKey, async ({ tx, actor, services: { site } }) => ({
    api_key: await changeOwnApiKey(tx, site, actor),
  })),
];
