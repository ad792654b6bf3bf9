// Health check of the Dockerfile: exits with 0 if the process of this container serves. Uses the port of HEALTH_PORT, else
// METRICS_PORT, else PORT.
const { HEALTH_PORT, METRICS_PORT, PORT } = process.env;
const port = HEALTH_PORT || METRICS_PORT || PORT || "9991";
try {
  const answer = await fetch(`http://127.0.0.1:${port}/health`, {
    signal: AbortSignal.timeout(4_000),
  });
  if (!answer.ok) throw new Error(`/health answers ${answer.status}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
