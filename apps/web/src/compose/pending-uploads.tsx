import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { PendingUpload, Uploads } from "./uploads.ts";

const t = texts.compose;

/** The running uploads with their progress, and the failed uploads with the reason. */
export function PendingUploads({ uploads }: { readonly uploads: Uploads }) {
  return uploads.pending.value.map((one) => (
    <div key={one.id} class="upload">
      {one.problem === undefined ? <Running upload={one} /> : <Failed upload={one} />}
      {one.problem !== undefined && (
        <Button label={t.retryUpload(one.name)} onClick={() => uploads.retry(one)}>
          {texts.app.retry}
        </Button>
      )}
      <Button kind="quiet" label={t.cancelUpload(one.name)} onClick={() => uploads.cancel(one)}>
        <Icon name="close" />
      </Button>
    </div>
  ));
}

interface UploadProps {
  readonly upload: PendingUpload;
}

function Running({ upload: { name, progress } }: UploadProps) {
  return (
    <>
      <bdi class="upload-name">{name}</bdi>
      <progress value={progress} max={1} aria-label={t.uploading(name)} />
    </>
  );
}

function Failed({ upload: { name, problem = "" } }: UploadProps) {
  return (
    <div class="upload-failed">
      <Alert>{t.uploadFailed(name, problem)}</Alert>
    </div>
  );
}
