// Imported statically, because in a bundle a dynamic import of this CommonJS package has no named exports.
export { BullMQOtel } from "bullmq-otel";
