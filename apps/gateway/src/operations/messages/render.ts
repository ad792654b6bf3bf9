import { renderMessageText } from "@carillon/contract";
import { renderText } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(renderMessageText, async ({ input, actor, services }) => ({
  rendered: await renderText(services.db, services.site, actor, input.content),
}));
