import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Rendered } from "../html/rendered.tsx";
import { reasonOf } from "../reason.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";

/** A message as it will look. */
export function Preview({ content }: { readonly content: string }) {
  const { client } = useOrganization();
  const html = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  useEffect(() => {
    client
      .renderMessage({ content })
      .then(({ rendered }) => (html.value = rendered))
      .catch((cause: unknown) => (error.value = reasonOf(cause)));
  }, [client, content]);
  if (error.value !== undefined) return <Alert>{error.value}</Alert>;
  return (
    <div class="preview" role="region" aria-label={texts.compose.preview} tabIndex={0}>
      {html.value !== undefined && <Rendered html={html.value} />}
    </div>
  );
}
