import type { SilenceCause } from '../../generated/client.ts';
import type { Messages } from '../../i18n/en.ts';

type Causes = Messages['call']['causes'];

/** The translated name of a kind of cause. A cause that this console does not know keeps the name of the API. */
export function causeName(type: string, causes: Causes): string {
  return isKey(type, causes) ? causes[type] : type;
}

/** The name of a cause that was found: without blame if it took no longer than usual. */
export function foundCauseName(cause: Omit<SilenceCause, 'text'>, { call, evidence: text }: Messages): string {
  const { evidence, type, usual } = cause;
  if (usual && isKey(type, text.usual)) return text.usual[type];
  const isUnanswered = type === 'model_slow' && evidence.first_token_ms === null && evidence.first_text_ms === null;
  return isUnanswered ? text.unanswered : causeName(type, call.causes);
}

function isKey<Names extends object>(name: string, names: Names): name is keyof Names & string {
  return Object.hasOwn(names, name);
}
