import leven from 'leven';
import { PROVIDER_VARIABLES } from '../../adapters/registry/provider-variables.ts';
import type { Environment } from './configuration.ts';
import { nearestName } from './nearest-name.ts';
import { CONFIGURATION_VARIABLES } from './variables.ts';

/** No other program's variables begin like this. */
const PREFIX = 'TRUNKLINE_';
/** Variables of other programs that differ from ours in underscores or in one letter. */
const OF_OTHERS = [
  'LOGLEVEL',
  'HTTPS_BIND',
  'HTTPS_PORT',
  'HTTP_PORTS',
  'DATABASE_URI',
  'DATA_DIRS',
  'PUBLIC_URI',
  'PUBLIC_URLS',
  'IP_PORT',
  'VIP_PORT',
];
/** One edit in fewer letters makes another word. */
const LETTERS_MIN = 6;
/** Two neighbours swapped are two edits. */
const SWAP_EDITS = 2;
/** Letters in which the names of providers differ: GROK_API_KEY is another provider's than GROQ_API_KEY. */
const PROVIDER_LETTERS = 5;
const PROVIDER_NAMES = PROVIDER_VARIABLES.map(({ name }) => name);

export interface MisspeltVariable {
  readonly variable: string;
  readonly nearest?: string;
}

/**
 * Variables that were meant for this service but that it does not know. The environment of a process also holds those of other
 * programs: without the prefix a variable is reported only if it resembles one of ours closely, and that one is not set.
 */
export function misspeltVariables(environment: Environment): readonly MisspeltVariable[] {
  return Object.keys(environment).flatMap((variable) => {
    if (CONFIGURATION_VARIABLES.includes(variable) || OF_OTHERS.includes(variable)) return [];
    const hasPrefix = variable.startsWith(PREFIX);
    const nearest = hasPrefix ? nearestVariable(variable) : intendedVariable(variable);
    const isOurs = hasPrefix || (nearest !== undefined && (environment[nearest] ?? '') === '');
    return isOurs ? [{ variable, ...(nearest !== undefined && { nearest }) }] : [];
  });
}

/** The variable that a name, from a `.env` file or with our prefix, probably means. */
export function nearestVariable(name: string): string | undefined {
  return intendedVariable(name) ?? nearestName(name, CONFIGURATION_VARIABLES);
}

function intendedVariable(name: string): string | undefined {
  const given = lettersOf(name);
  return (
    CONFIGURATION_VARIABLES.find((known) => isSpeltOtherwise(given, known)) ??
    CONFIGURATION_VARIABLES.find((known) => isMistyped(given, known))
  );
}

/** Without underscores, without `DEFAULT_`, or with `_KEY` in the place of `_API_KEY`. */
function isSpeltOtherwise(given: string, known: string): boolean {
  const others = [known, known.replace('_API_KEY', '_KEY'), known.replace(/^DEFAULT_/, '')];
  return others.some((other) => given === lettersOf(other));
}

function isMistyped(given: string, known: string): boolean {
  const letters = lettersOf(known);
  const edits = leven(given, letters);
  if (edits <= SWAP_EDITS && sorted(given) === sorted(letters)) return true;
  if (edits !== 1 || given.length < LETTERS_MIN) return false;
  return !PROVIDER_NAMES.includes(known) || given.slice(0, PROVIDER_LETTERS) === letters.slice(0, PROVIDER_LETTERS);
}

function lettersOf(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

function sorted(letters: string): string {
  return [...letters].sort().join('');
}
