import type { Setting } from '../generated/client.ts';

export interface SettingFilter {
  /** Parts of a variable, a value or a description; all must occur. */
  readonly words: string;
  readonly onlySet: boolean;
}

export function isShown(setting: Setting, { onlySet, words }: SettingFilter): boolean {
  if (onlySet && !setting.set) return false;
  const searched = `${setting.variable} ${setting.value ?? ''} ${setting.description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** The settings by group, in the order of the service. */
export function settingGroups(
  settings: readonly Setting[],
): readonly (readonly [Setting['group'], readonly Setting[]])[] {
  return [...Map.groupBy(settings, ({ group }) => group)];
}
