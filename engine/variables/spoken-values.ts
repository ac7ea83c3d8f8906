import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';
import type { VariableType } from '../agent/variable-schema.ts';

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };
/** Date and local time of day; seconds and the UTC offset are not spoken. */
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?/;

/**
 * A value as it is spoken in the call's language: a date is «3 March 2026» in en-GB, «3. März 2026» in de. A datetime
 * is spoken in its local time, as written. Other values are spoken as written.
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
  for (const tag of [language, primaryLanguage(language)]) {
    try {
      const [supported] = Intl.DateTimeFormat.supportedLocalesOf(tag);
      if (supported !== undefined) return supported;
    } catch {
      // A RangeError: no language tag (ECMA-402 section 9.2.1).
    }
  }
  return 'en';
}
