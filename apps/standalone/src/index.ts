export { startStandalone, type Parts, type Standalone } from "./standalone.ts";
