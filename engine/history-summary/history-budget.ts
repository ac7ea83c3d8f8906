import type { HistoryItem } from '../core/state/transcript-slice.ts';
import { toolCallIds } from '../transcript/history.ts';

/**
 * What the model is told of the conversation, its summary included, in characters: some 24,000 tokens at four characters
 * each. A conversation of half an hour fits into it whole; together with the longest prompts it fits into the 128,000
 * tokens that a model of today takes, also in scripts where a character is a token.
 */
export const HISTORY_MAX_CHARACTERS = 96_000;
/** Once it is outgrown so much of it is kept, so that the next summary is far away. */
const KEPT_CHARACTERS = 48_000;
/** The last turns are kept as they were spoken even then. */
export const TURNS_KEPT = 4;
/** What is left of a tool's result where a single turn outgrows the budget. */
const RESULT_SHORT_CHARACTERS = 500;
const RESULT_CUT_NOTE = ' [the rest was left out]';
/** Of one message: its role and its marks. */
const ITEM_CHARACTERS = 16;

/** The characters that the model would be told of these. */
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
  /** Whole turns, the oldest, that no longer fit. */
  readonly dropped: readonly HistoryItem[];
  readonly kept: readonly HistoryItem[];
}

/**
 * The history within the budget. What is dropped ends where a user speaks, so a call and its results stay together;
 * where one turn alone is too long, the first parts of the user's words go, and results of its tools are shortened, the
 * oldest first.
 *
 * @param besides characters of the budget that are taken already
 */
export function fitHistory(history: readonly HistoryItem[], besides: number): FittedHistory {
  const room = HISTORY_MAX_CHARACTERS - besides;
  if (historySize(history) <= room) return { dropped: [], kept: history };
  const at = cutAt(history, room);
  const gone = new Set(toolCallIds(history.slice(0, at)));
  // A result that came after the user's next words stands behind them.
  const isDropped = (item: HistoryItem, index: number) =>
    index < at || (item.type === 'result' && gone.has(item.toolCallId));
  return {
    dropped: history.filter(isDropped),
    kept: withShortResults(
      history.filter((item, index) => !isDropped(item, index)),
      room,
    ),
  };
}

/** The first turn from which on all that is kept fits: comfortably, or else at all. */
function cutAt(history: readonly HistoryItem[], room: number): number {
  const starts = turnStarts(history);
  const lastTurns = starts.at(-TURNS_KEPT) ?? 0;
  const comfortable = starts.find((start) => historySize(history.slice(start)) <= KEPT_CHARACTERS) ?? history.length;
  const verbatim = Math.min(comfortable, lastTurns);
  if (historySize(history.slice(verbatim)) <= room) return verbatim;
  return starts.find((start) => historySize(history.slice(start)) <= room) ?? partAt(history, starts.at(-1) ?? 0, room);
}

/** In a turn that is too long alone: the first part of the user's words from which the rest fits, or its start. */
function partAt(history: readonly HistoryItem[], start: number, room: number): number {
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
    if (excess <= 0 || item.type !== 'result' || item.content.length <= RESULT_SHORT_CHARACTERS) return item;
    const content = item.content.slice(0, RESULT_SHORT_CHARACTERS - RESULT_CUT_NOTE.length).toWellFormed();
    const short = { ...item, content: `${content}${RESULT_CUT_NOTE}` };
    excess -= itemSize(item) - itemSize(short);
    return short;
  });
}
