import type { Messages } from '../../i18n/en.ts';

type Causes = Messages['call']['causes'];

/** The name of a cause; one that this console does not know has its own. */
export function causeName(type: string, causes: Causes): string {
  return isKnown(type, causes) ? causes[type] : type;
}

function isKnown(type: string, causes: Causes): type is keyof Causes {
  return Object.hasOwn(causes, type);
}
