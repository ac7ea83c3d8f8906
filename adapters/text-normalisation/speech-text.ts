import type { Pronunciation } from '../../engine/ports/voice.ts';
import { addressRules } from './address-rules.ts';
import { LINK_RULES, MARKUP_RULES, SIGN_RULES } from './markup-rules.ts';
import { writtenNumberRules } from './number-rules.ts';
import { pronunciationRules } from './pronunciation-rules.ts';
import { rewrite, type SpeechRule } from './rewriting.ts';
import { isMonthFirst, speechLanguage } from './speech-languages.ts';

/**
 * Version of the rules' output. Increment it with each change of the output, so that no phrase cached under older
 * rules is used.
 */
export const SPEECH_TEXT_VERSION = 2;

/** A word as written, and its place in the spoken text. `spokenStart` and `spokenEnd` never decrease. */
export interface AlignedWord {
  readonly text: string;
  readonly spokenStart: number;
  readonly spokenEnd: number;
}

export interface SpeechText {
  /** The text for the voice; empty if there is nothing to speak. */
  readonly spoken: string;
  /** Every word of the text as written, in order; an unspoken word has an empty place. */
  readonly words: readonly AlignedWord[];
}

export interface SpeechTextOptions {
  /** BCP 47. Numbers become words in de, en, es, fr, it, nl and pt. */
  readonly language: string;
  /** The voice reads numbers, dates, money and abbreviations itself: they stay as written. */
  readonly voiceNormalisesText: boolean;
  readonly pronunciations: readonly Pronunciation[];
}

/**
 * Makes the function that turns a call's text into speech text. Markup and emoji are removed, addresses are spelled,
 * and the pronunciation dictionary is applied. If the voice does not read numbers itself, they become words. The
 * dictionary is compiled once per call; the rules of a language are compiled once per process.
 */
export function createSpeechText(options: SpeechTextOptions): (text: string) => SpeechText {
  const { before, after } = rulesFor(options);
  const rules = [...before, ...pronunciationRules(options.pronunciations), ...after];
  return (text) => speechText(text, rules);
}

interface LanguageRules {
  /** Rules that precede the dictionary. */
  readonly before: readonly SpeechRule[];
  readonly after: readonly SpeechRule[];
}

const WARM_UP_TEXTS = ['a 1', 'b 2.', 'a 1 €', 'b 2. …'];

/** Keyed by language, order of dates and `voiceNormalisesText`: a few dozen at most. */
const compiled = new Map<string, LanguageRules>();

function rulesFor({ language: tag, voiceNormalisesText }: SpeechTextOptions): LanguageRules {
  const language = speechLanguage(tag);
  const monthFirst = isMonthFirst(tag);
  const key = `${language?.months[0]} ${monthFirst} ${voiceNormalisesText}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const figures = language === undefined || voiceNormalisesText ? [] : writtenNumberRules(language, monthFirst);
  const rules = {
    before: [...LINK_RULES, ...(language === undefined ? [] : addressRules(language))],
    after: [...MARKUP_RULES, ...figures, ...SIGN_RULES],
  };
  warmUp([...rules.before, ...rules.after]);
  compiled.set(key, rules);
  return rules;
}

/**
 * V8 compiles a pattern at its first use and again at its second, separately for Latin-1 and other text. That takes
 * tens of ms. They are spent when the first call of a language begins, not when it speaks.
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
