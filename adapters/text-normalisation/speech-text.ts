import type { Pronunciation } from '../../engine/ports/voice.ts';
import { addressRules } from './address-rules.ts';
import { isMonthFirst, speechLanguage } from './languages.ts';
import { LINK_RULES, MARKUP_RULES, SIGN_RULES } from './markup-rules.ts';
import { writtenNumberRules } from './number-rules.ts';
import { pronunciationRules } from './pronunciation-rules.ts';
import { rewrite, type SpeechRule } from './rewriting.ts';

/** Of what these rules make of a text: one more with each change of that, so that no phrase stays spoken by older ones. */
export const SPEECH_TEXT_VERSION = 1;

/** A word as it was written, and where it stands in what is said. `spokenStart` and `spokenEnd` never fall. */
export interface AlignedWord {
  readonly text: string;
  readonly spokenStart: number;
  readonly spokenEnd: number;
}

export interface SpeechText {
  /** What the voice is to say; empty where the text has nothing to say. */
  readonly spoken: string;
  /** Every word of the text as written, in order; one that is not said has an empty place. */
  readonly words: readonly AlignedWord[];
}

export interface SpeechTextOptions {
  /** BCP 47. Figures are put into words for de, en, es, fr, it, nl and pt. */
  readonly language: string;
  /** The voice reads figures, dates, money and abbreviations by itself: they are left as written. */
  readonly voiceReadsFigures: boolean;
  readonly pronunciations: readonly Pronunciation[];
}

/**
 * Makes the function that turns a call's text into what its voice says: marks of layout and emoji go, addresses are
 * spelled, the pronunciation dictionary is applied, and, where the voice does not do it, figures become words. The
 * dictionary is compiled once; what is the same for all calls of a language once a process.
 */
export function createSpeechText(options: SpeechTextOptions): (text: string) => SpeechText {
  const { before, after } = rulesFor(options);
  const rules = [...before, ...pronunciationRules(options.pronunciations), ...after];
  return (text) => speechText(text, rules);
}

interface LanguageRules {
  /** Those that go before the dictionary. */
  readonly before: readonly SpeechRule[];
  readonly after: readonly SpeechRule[];
}

const WARM_UP_TEXTS = ['a 1', 'b 2.', 'a 1 €', 'b 2. …'];

/** By language, order of dates and who reads figures: a few dozen at most. */
const compiled = new Map<string, LanguageRules>();

function rulesFor({ language: tag, voiceReadsFigures }: SpeechTextOptions): LanguageRules {
  const language = speechLanguage(tag);
  const monthFirst = isMonthFirst(tag);
  const key = `${language?.months[0]} ${monthFirst} ${voiceReadsFigures}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const figures = language === undefined || voiceReadsFigures ? [] : writtenNumberRules(language, monthFirst);
  const rules = {
    before: [...LINK_RULES, ...(language === undefined ? [] : addressRules(language))],
    after: [...MARKUP_RULES, ...figures, ...SIGN_RULES],
  };
  warmUp([...rules.before, ...rules.after]);
  compiled.set(key, rules);
  return rules;
}

/**
 * V8 compiles a pattern at its first use and again at its second, separately for Latin-1 and other text. That takes tens of ms,
 * which are spent when the first call of a language begins, not when it speaks.
 */
function warmUp(rules: readonly SpeechRule[]): void {
  for (const sample of WARM_UP_TEXTS) rewrite(sample, rules);
}

function speechText(text: string, rules: readonly SpeechRule[]): SpeechText {
  const { spoken, startOf, endOf } = rewrite(text, rules);
  const words = [...text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    spokenStart: startOf(match.index),
    spokenEnd: endOf(match.index + match[0].length),
  }));
  return { spoken: /[\p{L}\p{N}]/u.test(spoken) ? spoken : '', words };
}
