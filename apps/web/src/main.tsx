import { completeSignIn } from "./session/identity-provider.ts";
import { openCurrent } from "./session/open-organization.ts";
import "./style/index.css";

void completeSignIn();
// The views are a chunk of their own, so that the first request does not wait until the browser has compiled them.
openCurrent();
const { draw } = await import("./app.tsx");
draw();
