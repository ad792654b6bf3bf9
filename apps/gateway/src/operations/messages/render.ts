import { renderMessageText } from "@carillon/contract";
import { renderText } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(renderMessageText, async ({ sql, input, actor, services }) => ({
  rendered: await renderText(sql, services.site, actor, input.content),
}));
