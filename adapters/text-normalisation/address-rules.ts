import type { SpeechRule } from './rewriting.ts';
import type { SpeechLanguage } from './speech-language.ts';

const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}][\p{L}\p{N}._%+-]*@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,24}(?![\p{L}\p{N}])/gu;
/** With a scheme, with www, or a host with a common top-level domain. */
const URL_PATTERN =
  /(?<![\p{L}\p{N}@.])(?:https?:\/\/|www\.)[^\s<>()[\]"']+|(?<![\p{L}\p{N}@./-])(?:[a-zA-Z0-9-]+\.)+(?:com|org|net|io|ai|app|dev|info|eu|de|at|ch|fr|es|it|nl|be|pt|br|uk|us)(?![\p{L}\p{N}])(?:\/[^\s<>()[\]"']*)?/gu;

/** E-mail addresses and URLs, sign by sign: «jane dot doe at example dot com». */
export function addressRules(language: SpeechLanguage): readonly SpeechRule[] {
  return [
    { pattern: EMAIL, say: ([address]) => spelled(address, language) },
    { pattern: URL_PATTERN, say: ([address]) => url(address, language) },
  ];
}

/** The scheme, www, query and fragment are not spoken. Punctuation after the address belongs to the sentence. */
function url(address: string, language: SpeechLanguage): string {
  const closing = /[.,;:!?…]+$/u.exec(address)?.[0] ?? '';
  const shown = address
    .slice(0, address.length - closing.length)
    .replace(/^https?:\/\//iu, '')
    .replace(/^www\./iu, '')
    .replace(/[?#].*$/u, '')
    .replace(/\/+$/u, '');
  return spelled(shown, language) + closing;
}

function spelled(address: string, language: SpeechLanguage): string {
  const signs: Readonly<Record<string, string>> = {
    '@': language.at,
    '.': language.dot,
    '-': language.dash,
    _: language.underscore,
    '/': language.slash,
    '+': language.plus,
    '%': language.percent,
    ':': language.colon,
  };
  return address
    .replace(/\d/gu, (digit) => ` ${language.numberWord(Number(digit))} `)
    .replace(/[^\p{L}\p{M}\s]/gu, (sign) => ` ${signs[sign] ?? ''} `)
    .replace(/\s+/gu, ' ')
    .trim();
}
