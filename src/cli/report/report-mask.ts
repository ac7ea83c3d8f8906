import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { type SpeechMask, speechMask } from '../../calls/tape/speech-mask.ts';
import { createMasker } from '../../log/log-mask.ts';
import { maskedRuns } from '../../log/number-mask.ts';

/** Hides a digit in texts that are read. In a tape digits stay digits: they become 0. */
const HIDDEN = '•';
/** A single number word is a count or an article. */
const RUN_MIN = 2;
/** Times and ids are no numbers of people. */
const TIME_OR_ID = /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** Fields with words that parties said or typed. */
const SPEECH = new Set(['content', 'generated_content', 'transcript_string', 'digits', 'result', 'answer_text']);
/** Values that models, callers and operators chose. */
const FREE = new Set(['arguments', 'value', 'metadata', 'agent_overrides', 'answer_number', 'selected_options']);
/** Whole numbers from here on may be phone numbers. */
const PHONE_MIN = 1_000_000;
/** Names of products, which may contain a date. */
const PRODUCTS = new Set(['model', 'provider', 'fallback']);
const SECRET_VARIABLE = /KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL|URL/;

/** Masks the parts of a report: numbers, credentials, and the secrets of the service. */
export interface ReportMask {
  /** A text that no party of the call said. */
  readonly text: (text: string) => string;
  /** A JSON value in the form of the API. */
  readonly value: (value: unknown) => JsonValue;
}

export function reportMask(secrets: readonly string[]): ReportMask {
  const speech = speechMask(HIDDEN, HIDDEN, RUN_MIN);
  const masker = createMasker(secrets);
  const secretless = (text: string) => {
    // The masker shortens texts that are too long for a log line.
    const parts = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return parts.map((part) => String(masker(part))).join('');
  };
  const text = (given: string) => (TIME_OR_ID.test(given) ? given : maskedRuns(secretless(given)));
  return { text: secretless, value: (value) => masked(value, { text, speech, secretless }, false) };
}

/** The values of variables that hold keys, passwords and addresses. */
export function secretsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    SECRET_VARIABLE.test(name) && value !== undefined ? [value] : [],
  );
}

interface Masks {
  readonly text: (text: string) => string;
  readonly secretless: (text: string) => string;
  readonly speech: SpeechMask;
}

function masked(value: unknown, masks: Masks, isFree: boolean): JsonValue {
  if (typeof value === 'string') return isFree ? masks.speech(masks.secretless(value)) : masks.text(value);
  if (typeof value === 'number') return isFree && Math.abs(value) >= PHONE_MIN ? HIDDEN.repeat(7) : value;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, masks, isFree));
  if (typeof value !== 'object' || value === null) return null;
  const fields = Object.entries(value).map(([name, field]): [string, JsonValue] => {
    const isHere = isFree || FREE.has(name) || (SPEECH.has(name) && typeof field === 'string');
    if (!isFree && PRODUCTS.has(name) && typeof field === 'string') return [name, masks.secretless(field)];
    return [isFree ? masks.speech(name) : name, masked(field, masks, isHere)];
  });
  return Object.fromEntries(fields);
}
