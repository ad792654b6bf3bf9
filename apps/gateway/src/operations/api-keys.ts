import * as contract from "@carillon/contract";
import {
  changeOwnApiKey,
  fetchApiKey,
  fetchApiKeyForDevelopment,
  fetchApiKeyOfToken,
} from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.fetchApiKey, ({ sql, input, host, services }) =>
    fetchApiKey(sql, services.site, services.guesses, host, input),
  ),

  handle.reads(contract.jwtFetchApiKey, async ({ sql, input, host, services }) => {
    if (!services.tokens)
      throw contract.errors.badRequest("This server accepts no tokens (JWT_AUTH_KEY)");
    const email = await services.tokens.emailOf(input.token);
    const includeProfile = input.include_profile;
    return fetchApiKeyOfToken(sql, services.site, host, { email, includeProfile });
  }),

  handle.reads(contract.devFetchApiKey, ({ sql, input, host, services }) =>
    fetchApiKeyForDevelopment(sql, services.site, host, input.username),
  ),

  handle.changes(contract.regenerateApiKey, async ({ tx, actor, services: { site } }) => ({
    api_key: await changeOwnApiKey(tx, site, actor),
  })),
];
