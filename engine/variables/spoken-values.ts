import type { VariableType } from '../agent/agent.ts';
import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };
/** Day, and time of day as the clock at that place shows it; seconds and the offset are not spoken. */
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?/;

/**
 * A value as it is spoken in the call's language: a date is «3 March 2026» in en-GB, «3. März 2026» in de; a date and
 * time are told as the clock at their place shows them. Everything else is said as it is written.
 */
export function spokenValue(value: JsonValue, type: VariableType | null, language: string): string {
  if ((type !== 'date' && type !== 'datetime') || typeof value !== 'string') return textOf(value);
  const [, day, time] = ISO.exec(value) ?? [];
  if (day === undefined) return value;
  const isTimed = type === 'datetime' && time !== undefined;
  const moment = new Date(`${day}T${isTimed ? time : '00:00'}Z`);
  if (Number.isNaN(moment.getTime())) return value;
  return new Intl.DateTimeFormat(knownLocale(language), { ...DATE, ...(isTimed && TIME), timeZone: 'UTC' }).format(
    moment,
  );
}

/** A tag that the runtime does not know falls back to its language, or to English. */
function knownLocale(language: string): string {
  for (const tag of [language, language.split('-')[0] ?? '']) {
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf(tag);
      if (known !== undefined) return known;
    } catch {
      // A RangeError: no language tag (ECMA-402 section 9.2.1).
    }
  }
  return 'en';
}
