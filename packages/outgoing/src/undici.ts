// Re-exported here, because import() of a CommonJS package has no named exports in a bundle.
export { Agent, buildConnector } from "undici";
