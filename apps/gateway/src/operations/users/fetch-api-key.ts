import { fetchApiKey as operation } from "@carillon/contract";
import { fetchApiKey } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, ({ input, host, services }) =>
  fetchApiKey(services.db, services.site, services.guesses, host, input),
);
