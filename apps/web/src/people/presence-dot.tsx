import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

/** Shows whether a person is active, idle or offline. */
export function PresenceDot({ id }: { readonly id: number }) {
  const { presence, people } = useOrganization();
  if (people.byId.get(id)?.is_bot) return null;
  const state = presence.of(id);
  return <span class={`dot dot-${state}`} role="img" aria-label={texts.people[state]} />;
}
