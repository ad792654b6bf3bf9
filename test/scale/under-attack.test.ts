import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { fleetBackend } from "./support/fleet.ts";
import { openWorld, type World } from "../faults/support/world.ts";
import { makeScene } from "./attacks/attack.ts";
import { p95, startBystander } from "./attacks/bystander.ts";
import { attacks } from "./attacks/cases.ts";
import { gatewayMemoryLimit, inContainer, peakMemory } from "./attacks/memory.ts";

/** Seconds of each attack. `CARILLON_ATTACK_SECONDS=60 npm run test:scale` runs longer than CI does. */
const seconds = Number(process.env["CARILLON_ATTACK_SECONDS"] ?? "10");
/** Milliseconds without an attack before it, for comparison. */
const quietMs = 1_500;
/** Answers that other accounts must get during the attack. */
const answersWanted = 20;

describe("A gateway with the memory limit of docker-compose.yml", function () {
  this.timeout((seconds + 240) * 1_000);
  const limit = gatewayMemoryLimit();
  let world: World;
  before(async () => {
    world = await openWorld(fleetBackend);
  });
  after(() => world?.close());

  for (const attack of attacks)
    it(`stays within its memory and answers others under ${attack.name}`, async () => {
      const gateway = await world.gateway(inContainer(limit));
      const scene = await makeScene(world.db, gateway.url);
      await attack.prepare?.(scene);
      const other = startBystander(scene);
      const attacking = new AbortController();
      try {
        await pause(quietMs);
        const quiet = p95(other.takeTimes());
        const [run, over] = [attack.run(scene, attacking.signal), pause(seconds * 1_000)];
        let answered: number[] = [];
        const enough = async () => (answered = answered.concat(other.takeTimes())).length;
        await over;
        await waitFor(async () => (await enough()) >= answersWanted || !gateway.running(), {
          what: "others are answered during the attack",
        });
        await other.stop();
        attacking.abort();
        await run;
        expect(gateway.running(), gateway.output().slice(-2_000)).to.equal(true);
        const peak = peakMemory(gateway.pid);
        console.log(
          `      ${(peak / 2 ** 20).toFixed(0)} of ${limit / 2 ** 20} MB; p95 of others ${p95(answered).toFixed(0)} ms, ${quiet.toFixed(0)} ms before`,
        );
        expect(peak).to.be.below(limit);
        expect(other.failures).to.deep.equal([]);
      } finally {
        attacking.abort();
        await other.stop();
        await gateway.kill();
      }
    });
});
