import type { HistoryItem } from '../core/state/transcript-slice.ts';

/**
 * Budget of history and summary in a model request, in characters: about 24,000 tokens of four characters. A conversation
 * of half an hour fits. Together with the longest prompts it fits into a context of 128,000 tokens, even in scripts with one
 * token for each character.
 */
export const HISTORY_CHARACTERS_MAX = 96_000;
/** Length of the history after a cut. It is well below the budget, so that the next summary is far away. */
const KEPT_CHARACTERS = 48_000;
/** The last turns are never summarised, unless they exceed the budget. */
export const TURNS_KEPT = 4;
/** Length of a shortened tool result, if a single turn exceeds the budget. */
const SHORTENED_RESULT_CHARACTERS = 500;
const RESULT_CUT_NOTE = ' [the rest was left out]';
/** Overhead of one message: its role and delimiters. */
const ITEM_CHARACTERS = 16;

/** Length of these items in a model request, in characters. */
export function historySize(history: readonly HistoryItem[]): number {
  return history.reduce((sum, item) => sum + itemSize(item), 0);
}

function itemSize(item: HistoryItem): number {
  switch (item.type) {
    case 'user':
      return ITEM_CHARACTERS + item.text.length;
    case 'result':
      return ITEM_CHARACTERS + item.content.length;
    case 'agent': {
      const calls = item.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
      return ITEM_CHARACTERS + (item.playedText ?? item.text).length + calls;
    }
  }
}

export interface FittedHistory {
  /** The oldest turns, which no longer fit. */
  readonly dropped: readonly HistoryItem[];
  readonly kept: readonly HistoryItem[];
}

/**
 * Fits the history into the budget. The cut is before a user turn, so a tool call and its result stay together, except a late one. If one
 * turn alone is too long, the first parts of the user's words are dropped and tool results are shortened, the oldest
 * first.
 *
 * @param reserved characters of the budget that are used already
 */
export function fitHistory(history: readonly HistoryItem[], reserved: number): FittedHistory {
  const room = HISTORY_CHARACTERS_MAX - reserved;
  if (historySize(history) <= room) return { dropped: [], kept: history };
  const cut = cutIndex(history, room);
  return { dropped: history.slice(0, cut), kept: withShortResults(history.slice(cut), room) };
}

/** Index of the first kept item: the rest has `KEPT_CHARACTERS`, or at least fits into the budget. */
function cutIndex(history: readonly HistoryItem[], room: number): number {
  const starts = turnStarts(history);
  const lastTurns = starts.at(-TURNS_KEPT) ?? 0;
  const comfortable = starts.find((start) => historySize(history.slice(start)) <= KEPT_CHARACTERS) ?? history.length;
  const preferred = Math.min(comfortable, lastTurns);
  if (historySize(history.slice(preferred)) <= room) return preferred;
  return (
    starts.find((start) => historySize(history.slice(start)) <= room) ?? partIndex(history, starts.at(-1) ?? 0, room)
  );
}

/** Within a turn that alone is too long: the first part of the user's words from which the rest fits, or its start. */
function partIndex(history: readonly HistoryItem[], start: number, room: number): number {
  const fits = (at: number) => historySize(history.slice(at)) <= Math.min(room, KEPT_CHARACTERS);
  const part = history.findIndex((item, index) => index > start && item.type === 'user' && fits(index));
  return part < 0 ? start : part;
}

function turnStarts(history: readonly HistoryItem[]): readonly number[] {
  return history.flatMap((item, index) => (item.type === 'user' && history[index - 1]?.type !== 'user' ? [index] : []));
}

function withShortResults(history: readonly HistoryItem[], room: number): readonly HistoryItem[] {
  let excess = historySize(history) - room;
  return history.map((item) => {
    if (excess <= 0 || item.type !== 'result' || item.content.length <= SHORTENED_RESULT_CHARACTERS) return item;
    const content = item.content.slice(0, SHORTENED_RESULT_CHARACTERS - RESULT_CUT_NOTE.length).toWellFormed();
    const short = { ...item, content: `${content}${RESULT_CUT_NOTE}` };
    excess -= itemSize(item) - itemSize(short);
    return short;
  });
}
