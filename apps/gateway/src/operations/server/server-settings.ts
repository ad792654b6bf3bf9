import { getServerSettings } from "@carillon/contract";
import { serverSettings } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getServerSettings, ({ sql, host, services }) =>
  serverSettings(sql, services.site, host),
);
