import { getServerSettings } from "@carillon/contract";
import { serverSettings } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getServerSettings, ({ host, services }) =>
  serverSettings(services.db, services.site, host),
);
