import { render } from "preact";
import { App } from "./app.tsx";
import { completeSignIn } from "./session/identity-provider.ts";
import "./style/index.css";

void completeSignIn();
const root = document.getElementById("app") ?? document.body;
render(<App />, root);
