import { type Command, keys } from "./keyboard.ts";
import { texts } from "./texts.ts";
import { Dialog } from "./ui/dialog.tsx";

/** The list of keys. */
export function KeyboardHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={texts.keys.title} onClose={onClose}>
      <dl class="keys">
        {(Object.keys(keys) as Command[]).map((command) => (
          <div key={command}>
            <dt>
              {keys[command].map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{texts.keys[command]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
