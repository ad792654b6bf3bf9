// Whether the process of this container serves, by exit code: what HEALTHCHECK of the Dockerfile runs. It asks the port
// of HEALTH_PORT, else that of METRICS_PORT, else that of PORT.
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
