/**
 * One rule for text whose written form differs from its spoken form. `say` returns undefined if the match does not apply.
 */
export interface SpeechRule {
  /** Global and unicode-aware; matched against the whole text. */
  readonly pattern: RegExp;
  say(match: RegExpExecArray): string | undefined;
}

/** The original's text from `start` to `end` is spoken as the text from `spokenStart` to `spokenEnd`. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly spokenStart: number;
  readonly spokenEnd: number;
  readonly isRewritten: boolean;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly spoken: string;
}

/** Maps a position of the original to the spoken text. Positions inside a replacement map to its ends. */
export interface Rewritten {
  readonly spoken: string;
  startOf(offset: number): number;
  endOf(offset: number): number;
}

/** The first rule that matches a character replaces it; other characters stay. */
export function rewrite(text: string, rules: readonly SpeechRule[]): Rewritten {
  const replacements: Replacement[] = [];
  const isReplaced = new Uint8Array(text.length);
  for (const rule of rules) {
    for (const match of text.matchAll(rule.pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (start === end || isReplaced.subarray(start, end).includes(1)) continue;
      const spoken = rule.say(match);
      if (spoken === undefined) continue;
      isReplaced.fill(1, start, end);
      replacements.push({ start, end, spoken });
    }
  }
  replacements.sort((a, b) => a.start - b.start);
  return joined(text, replacements);
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}]/u;

function joined(text: string, replacements: readonly Replacement[]): Rewritten {
  const parts: Part[] = [];
  let spoken = '';
  let endsRewritten = false;
  const add = (start: number, end: number, words: string, isRewritten: boolean) => {
    const touches =
      (isRewritten || endsRewritten) && ENDS_IN_WORD.test(spoken.slice(-2)) && BEGINS_WITH_WORD.test(words);
    if (touches) spoken += ' ';
    if (words !== '') endsRewritten = isRewritten;
    const spokenStart = spoken.length;
    spoken += isRewritten && (spoken === '' || spoken.endsWith(' ')) ? words.trimStart() : words;
    parts.push({ start, end, spokenStart, spokenEnd: spoken.length, isRewritten });
  };
  let at = 0;
  for (const { start, end, spoken: words } of replacements) {
    if (start > at) add(at, start, text.slice(at, start), false);
    add(start, end, words, true);
    at = end;
  }
  if (at < text.length) add(at, text.length, text.slice(at), false);
  const whole = spoken.trimEnd();
  const within = (offset: number) => Math.min(offset, whole.length);
  return {
    spoken: whole,
    startOf: (offset) => {
      const part = partAt(parts, offset);
      if (part === undefined) return whole.length;
      return within(part.isRewritten ? part.spokenStart : part.spokenStart + offset - part.start);
    },
    endOf: (offset) => {
      const part = partAt(parts, offset - 1);
      if (part === undefined) return 0;
      return within(part.isRewritten ? part.spokenEnd : part.spokenStart + offset - part.start);
    },
  };
}

function partAt(parts: readonly Part[], offset: number): Part | undefined {
  let low = 0;
  let high = parts.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const part = parts[middle];
    if (part === undefined) return undefined;
    if (offset < part.start) high = middle - 1;
    else if (offset >= part.end) low = middle + 1;
    else return part;
  }
  return undefined;
}
