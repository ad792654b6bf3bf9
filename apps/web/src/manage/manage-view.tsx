import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hashOf } from "../route.ts";
import { BotsSection } from "./bots-section.tsx";
import { ChannelsSection } from "./channels-section.tsx";
import { EmojiSection } from "./emoji-section.tsx";
import { GroupsSection } from "./groups-section.tsx";
import { InvitationsSection } from "./invitations-section.tsx";
import { PeopleSection } from "./people-section.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { texts } from "../texts.ts";

const t = texts.organization;

/** The sections, by their names in the address. */
const sections: Readonly<Record<string, { title: string; Section: ComponentType }>> = {
  people: { title: t.people, Section: PeopleSection },
  invitations: { title: t.invitations, Section: InvitationsSection },
  groups: { title: t.groups, Section: GroupsSection },
  channels: { title: t.channels, Section: ChannelsSection },
  settings: { title: t.settingsSection, Section: SettingsSection },
  emoji: { title: t.emoji, Section: EmojiSection },
  bots: { title: t.bots, Section: BotsSection },
};

export interface ManageViewProps {
  /** The part of the address after `#organization/`. */
  readonly section: string;
}

/** The pages for managing an organization. */
export function ManageView({ section }: ManageViewProps) {
  const name = section === "" ? "people" : section;
  const shown = sections[name];
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On narrow screens the row of tabs scrolls.
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [name]);
  if (!shown) return <p class="empty">{texts.app.unknownPage}</p>;
  const { Section } = shown;
  return (
    <div class="page manage">
      <nav ref={tabs} class="tabs" aria-label={texts.common.organization}>
        {Object.entries(sections).map(([other, { title }]) => (
          <a
            key={other}
            href={hashOf({ page: "organization", section: other })}
            aria-current={other === name ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Section key={name} />
    </div>
  );
}
