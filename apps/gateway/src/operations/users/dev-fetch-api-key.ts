import { devFetchApiKey } from "@carillon/contract";
import { fetchApiKeyForDevelopment } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(devFetchApiKey, ({ sql, input, host, services }) =>
  fetchApiKeyForDevelopment(sql, services.site, host, input.username),
);
