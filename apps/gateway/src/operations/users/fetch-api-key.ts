import { fetchApiKey as operation } from "@carillon/contract";
import { fetchApiKey } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(operation, ({ sql, input, host, services }) =>
  fetchApiKey(sql, services.site, services.guesses, host, input),
);
