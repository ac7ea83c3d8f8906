import type { SpeechRule } from './rewriting.ts';

function rule(pattern: RegExp, spoken: string): SpeechRule {
  return { pattern, say: () => spoken };
}

/** Of `[text](address)` only the text is spoken. */
export const LINK_RULES: readonly SpeechRule[] = [
  rule(/!?\[(?=[^[\]\n]{0,300}\]\([^()\s]{1,2000}\))/gu, ''),
  rule(/(?<=\[[^[\]\n]{0,300})\]\([^()\s]{1,2000}\)/gu, ''),
];

/** CommonMark: headings, quotes, lists, emphasis, code. */
export const MARKUP_RULES: readonly SpeechRule[] = [
  rule(/^[ \t]{0,3}#{1,6}[ \t]+/gmu, ''),
  rule(/^[ \t]{0,3}>[ \t]?/gmu, ''),
  rule(/^[ \t]*[-*+•][ \t]+/gmu, ''),
  rule(/^[ \t]*(?:[-*_][ \t]*){3,}$/gmu, ''),
  rule(/`{1,3}|~~/gu, ''),
  rule(/(?<=[\p{L}\p{N}])\*+(?=[\p{L}\p{N}])/gu, ' '),
  rule(/\*/gu, ''),
  rule(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ''),
];

/**
 * Characters without sound: pictures, control and format characters, brackets of code. White space becomes one space.
 * Matched one by one, because a run could overlap with the match of another rule.
 */
export const SIGN_RULES: readonly SpeechRule[] = [
  rule(/(?:\p{Extended_Pictographic}(?<![\p{N}#*©®™])|\p{Regional_Indicator}|\p{Emoji_Modifier})/gu, ' '),
  rule(/(?:(?<=[\p{L}\p{N}])[ \t]*[\r\n\u2028\u2029]\s*(?=\S))/gu, ', '),
  rule(/\s/gu, ' '),
  rule(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]|\u20e3|\p{Variation_Selector}/gu, ''),
  rule(/[<>|~^\\{}[\]=_`*]/gu, ' '),
];
