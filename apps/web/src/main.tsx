import { completeSignIn } from "./session/identity-provider.ts";
import { openCurrent } from "./session/open-organization.ts";
import "./style/index.css";

void completeSignIn();
// The views are in another chunk, so that the first request is sent before the browser has compiled them.
openCurrent();
const { draw } = await import("./app.tsx");
draw();
