import type { Messages } from '../../i18n/en.ts';
import type { AgentFinding } from './agent-finding.ts';

/** Zod's message about a value of another type. */
const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;
const EMPTY = 'Required: the text is empty';
/** The service's message about a field that no schema has. */
export const UNKNOWN_FIELD = 'Unknown field';

/** The message of a finding in the language of the page, where it is one of those that an editor meets most; otherwise as it is. */
export function findingMessage({ allowed, message }: AgentFinding, { agents: { findings } }: Messages): string {
  if (allowed !== undefined) return findings.unknownField(allowed.join(', '));
  if (message === EMPTY) return findings.empty;
  const translated: Readonly<Record<string, string>> = findings.messages;
  if (Object.hasOwn(translated, message)) return translated[message] ?? message;
  const [, expected, received] = WRONG_TYPE.exec(message) ?? [];
  if (expected === undefined || received === undefined) return message;
  const types: Readonly<Record<string, string>> = findings.types;
  const expectedType = types[expected] ?? expected;
  return received === 'undefined'
    ? findings.missing(expectedType)
    : findings.wrongType(expectedType, types[received] ?? received);
}
