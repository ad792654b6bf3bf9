import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import type { Uploads } from "./uploads.ts";
import { Icon } from "../ui/icon.tsx";

/** The files that are being uploaded, with how far each has come. */
export function RunningUploads({ uploads }: { readonly uploads: Uploads }) {
  return uploads.running.value.map(({ id, name, progress, cancel }) => (
    <div key={id} class="upload">
      <bdi class="upload-name">{name}</bdi>
      <progress value={progress} max={1} aria-label={texts.compose.uploading(name)} />
      <Button kind="quiet" label={texts.compose.cancelUpload(name)} onClick={cancel}>
        <Icon name="close" />
      </Button>
    </div>
  ));
}
