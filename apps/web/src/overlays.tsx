import { LeaveDialog } from "./channels/leave-dialog.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { closeOverlay, overlay } from "./overlay.ts";
import { PeopleDialog } from "./people/people-dialog.tsx";
import { ProfileCard } from "./people/profile-card.tsx";
import { useOrganization } from "./store/use-organization.ts";
import { texts } from "./texts.ts";
import { Alert } from "./ui/alert.tsx";
import { Button } from "./ui/button.tsx";
import { Icon } from "./ui/icon.tsx";

/** The open dialog, and the errors of recent actions. */
export function Overlays() {
  const { notices, channels } = useOrganization();
  const { value: open } = overlay;
  const left = open?.kind === "leave" ? channels.byId.get(open.id) : undefined;
  return (
    <>
      {open?.kind === "keys" && <KeyboardHelp onClose={closeOverlay} />}
      {open?.kind === "people" && <PeopleDialog onClose={closeOverlay} />}
      {open?.kind === "profile" && (
        <ProfileCard key={open.id} id={open.id} onClose={closeOverlay} />
      )}
      {left && <LeaveDialog channel={left} onClose={closeOverlay} />}
      <div class="notices">
        {notices.shown.value.map(({ id, text }) => (
          <div key={id} class="notice">
            <Alert>{text}</Alert>
            <Button kind="quiet" label={texts.app.close} onClick={() => notices.dismiss(id)}>
              <Icon name="close" />
            </Button>
          </div>
        ))}
      </div>
    </>
  );
}
