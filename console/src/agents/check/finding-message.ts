import type { Messages } from '../../i18n/en.ts';
import type { AgentFinding } from './agent-finding.ts';

/** The service's messages about a missing value and about one of another type. */
const MISSING = /^Required: expected an? (\w+)$/;
const WRONG_TYPE = /^expected an? (\w+)(?:, got (?:an? )?(\w+))?$/;
const EMPTY = 'Required: the text is empty';
/** The service's message about a field that no schema has. */
export const UNKNOWN_FIELD = 'Unknown field';

/** The message of a finding in the language of the page, where it is one of those that an editor meets most; otherwise as it is. */
export function findingMessage({ allowed, message }: AgentFinding, { agents: { findings } }: Messages): string {
  if (allowed !== undefined) return findings.unknownField(allowed.join(', '));
  if (message === EMPTY) return findings.empty;
  const translated: Readonly<Record<string, string>> = findings.messages;
  if (Object.hasOwn(translated, message)) return translated[message] ?? message;
  const types: Readonly<Record<string, string>> = { ...findings.types, integer: findings.types.int };
  const missing = types[MISSING.exec(message)?.[1] ?? ''];
  if (missing !== undefined) return findings.missing(missing);
  const [, expected = '', received = 'number'] = WRONG_TYPE.exec(message) ?? [];
  const type = types[expected];
  return type === undefined ? message : findings.wrongType(type, types[received] ?? received);
}
