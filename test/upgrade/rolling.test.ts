import { onBothBackends } from "../faults/support/both-backends.ts";
import { Correspondence } from "./support/correspondence.ts";
import type { Installation } from "./support/builds.ts";
import { installed } from "./support/installed.ts";

onBothBackends("An upgrade from the last release", 400_000, {
  "goes process by process and back, with nothing lost or doubled": (backend) =>
    installed(backend, upgrade),
});

/** Longer than a request takes on a busy machine, because scheduled times must be in the future. */
const soonSeconds = 8;

async function upgrade(installation: Installation): Promise<void> {
  const { release, current } = installation;
  const owner = (of: { readonly url: string }) => installation.owner(of);
  const letters = new Correspondence();
  await release.prepare();
  let gateway = await release.gateway();
  let worker = await release.worker();
  await letters.open(await owner(gateway));
  const exchange = async (title: string) => {
    const client = await owner(gateway);
    await letters.write(client, `${title}, at once`, 3);
    await letters.write(client, `${title}, soon`, 10, soonSeconds);
    await letters.hear(client, title);
  };
  // Due while the processes are replaced: a worker of one build runs a delivery job of the other.
  for (const seconds of [10, 20, 30, 40, 50]) {
    await letters.write(await owner(gateway), `Meanwhile (${seconds})`, 5, seconds);
  }
  await exchange("The release alone");

  await current.prepare();
  await exchange("The release on the new schema");
  const ended = [gateway, worker];
  gateway = await release.gateway();
  worker = await release.worker();
  await Promise.all(ended.map((one) => one.stop()));
  await exchange("The release, started again on the new schema");

  await worker.stop();
  worker = await current.worker();
  await exchange("The new worker behind the old gateway");

  const before = worker;
  worker = await release.worker();
  await before.stop();
  const old = gateway;
  gateway = await current.gateway();
  await old.stop();
  await exchange("The old worker behind the new gateway");

  await worker.stop();
  worker = await current.worker();
  await exchange("The new build alone");
  await letters.hear(await owner(gateway), "Meanwhile");

  await letters.write(await owner(gateway), "After the way back", 10, soonSeconds);
  await Promise.all([gateway.stop(), worker.stop()]);
  gateway = await release.gateway();
  worker = await release.worker();
  await exchange("The release again");
  await letters.hear(await owner(gateway), "After the way back");
  await letters.expectOnce(await owner(gateway));
}
