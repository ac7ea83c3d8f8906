import { primaryLanguage } from '../../../base/text/primary-language.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { ErrorDetail } from '../errors/api-error.ts';

type WithLanguage = Pick<AgentConfiguration, 'language'>;

/** The languages of the Unicode CLDR: far more than any provider speaks. Undefined for others. */
const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language that does not exist, unless `before` already had it: the transcriber and the voice would fail on each call. */
export function languageFaults({ language }: WithLanguage, before: WithLanguage | null): ErrorDetail[] {
  const primary = primaryLanguage(language);
  if (language === before?.language || NAMES.of(primary) !== undefined) return [];
  return [{ field: 'language', message: `unknown language ${primary}: expected a BCP 47 tag, such as en or pt-BR` }];
}
