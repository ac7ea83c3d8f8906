import type { Pronunciation } from '../../engine/ports/voice.ts';
import { addressRules } from './address-rules.ts';
import { figureRules } from './figure-rules.ts';
import { isMonthFirst, spokenLanguage } from './languages.ts';
import { LINK_RULES, MARKUP_RULES, SIGN_RULES } from './markup-rules.ts';
import { pronunciationRules } from './pronunciation-rules.ts';
import { rewrite, type SpeechRule } from './rewriting.ts';

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
 * dictionary is compiled once.
 */
export function createSpeechText(options: SpeechTextOptions): (text: string) => SpeechText {
  const language = spokenLanguage(options.language);
  const rules: readonly SpeechRule[] = [
    ...LINK_RULES,
    ...(language === undefined ? [] : addressRules(language)),
    ...pronunciationRules(options.pronunciations),
    ...MARKUP_RULES,
    ...(language === undefined || options.voiceReadsFigures
      ? []
      : figureRules(language, isMonthFirst(options.language))),
    ...SIGN_RULES,
  ];
  return (text) => speechText(text, rules);
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
