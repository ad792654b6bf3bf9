import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";

/** What an action has done. */
export interface Report {
  readonly text: string;
  /** Takes it back. */
  readonly undo?: (() => Promise<unknown>) | undefined;
}

export interface ReportLineProps {
  readonly report: Report | undefined;
  readonly onDismiss: () => void;
}

/** Says what the last action has done, with a way back. Screen readers announce it. */
export function ReportLine({ report, onDismiss }: ReportLineProps) {
  const { notices } = useOrganization();
  return (
    <div class="report" role="status">
      {report && (
        <div class="scheduled-notice">
          <p>{report.text}</p>
          <div class="scheduled-notice-actions">
            {report.undo && (
              <Button
                kind="quiet"
                onClick={() => {
                  if (report.undo) notices.attempt(report.undo().then(onDismiss));
                }}
              >
                {texts.schedule.undo}
              </Button>
            )}
            <Button kind="quiet" label={texts.app.close} onClick={onDismiss}>
              ✕
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
