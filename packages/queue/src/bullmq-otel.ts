// A CommonJS package, whose named exports a dynamic import of a bundle would not find.
export { BullMQOtel } from "bullmq-otel";
