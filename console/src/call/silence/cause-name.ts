import type { Messages } from '../../i18n/en.ts';

type Causes = Messages['call']['causes'];

/** The translated name of a cause. A cause that this console does not know keeps the name of the API. */
export function causeName(type: string, causes: Causes): string {
  return isKnown(type, causes) ? causes[type] : type;
}

function isKnown(type: string, causes: Causes): type is keyof Causes {
  return Object.hasOwn(causes, type);
}
