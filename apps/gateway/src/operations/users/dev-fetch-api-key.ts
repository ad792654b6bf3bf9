import { devFetchApiKey } from "@carillon/contract";
import { fetchApiKeyForDevelopment } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(devFetchApiKey, ({ input, host, services }) =>
  fetchApiKeyForDevelopment(services.db, services.site, host, input.username),
);
