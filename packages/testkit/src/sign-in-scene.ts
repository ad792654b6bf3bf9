import type { Site } from "@carillon/model";

import { type Scene, useScene } from "./scene.ts";
import { type ScriptedProvider, useScriptedProvider } from "./scripted-provider.ts";

/** A scene whose gateway signs people in at a scripted identity provider. */
export interface SignInScene extends Scene {
  readonly provider: ScriptedProvider;
}

/** Such a scene for the tests of the enclosing `describe`. */
export function useSignInScene(site: Pick<Site, "webClient"> = {}): SignInScene {
  const provider = useScriptedProvider();
  const scene = useScene(
    {},
    {
      site: {
        ...site,
        // Read when the gateway starts: the provider is not there before.
        get identityProvider() {
          return provider.config;
        },
      },
    },
  );
  return Object.assign(scene, { provider });
}
