import { describe, expect, it } from 'vitest';
import { NO_SPEECH, type SpeechTimeline } from '../../../engine/core/state/speech-timeline.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { newWords } from '../../../engine/turn-detection/new-words.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const said = (text: string, startMs: number, endMs: number, isFinal = true, before: SpeechTimeline = NO_SPEECH) =>
  revise(before, { text, startMs, endMs, words: [], isFinal }, { activityStartMs: 0, wordErrorMs: 400 });
const newWordsOf = (speech: SpeechTimeline) => newWords(ruleStep({ userTurn: { ...SILENT_USER, speech } }).context);
const of = (text: string, isFinal = true) => newWordsOf(said(text, 1_000, 3_000, isFinal));

describe('the new words of an open turn', () => {
  it('are all of them, up to their end, if none is repeated', () => {
    expect(newWordsOf(NO_SPEECH)).toEqual({ endMs: null, count: 0, isAskedAgain: false });
    expect(of('When do you open?')).toEqual({ endMs: 3_000, count: 4, isAskedAgain: false });
    expect(of('When do you open? And where is it?')).toEqual({ endMs: 3_000, count: 8, isAskedAgain: false });
    expect(of('Hello?')).toMatchObject({ count: 1, isAskedAgain: false });
  });

  it('end before a sentence that is said again, at a place estimated by the length of the text', () => {
    const question = 'When do you open?';
    const text = `${question} ${question}`;
    const endMs = 1_000 + (2_000 * question.length) / text.length;
    expect(of(text)).toEqual({ endMs, count: 4, isAskedAgain: true });
    expect(of(`${text} ${question}`)).toMatchObject({ count: 4, isAskedAgain: true });
  });

  it('end before an attention call', () => {
    expect(of('When do you open? Hello?')).toMatchObject({ count: 4, isAskedAgain: true });
    const first = said('When do you open?', 1_000, 3_000);
    expect(newWordsOf(said('Are you there?', 6_000, 7_000, true, first))).toEqual({
      endMs: 3_000,
      count: 4,
      isAskedAgain: true,
    });
  });

  it('go on after a repetition if something new follows it', () => {
    expect(of('I want it. I want it. And soon.')).toEqual({ endMs: 3_000, count: 8, isAskedAgain: false });
  });

  it('leave out a repetition that is still being said, and not one that ended in other words', () => {
    expect(of('When do you open? When do', false)).toMatchObject({ count: 4, isAskedAgain: true });
    expect(of('When do you open? When do')).toMatchObject({ count: 6, isAskedAgain: false });
    expect(of('When do you open? Or when do', false)).toMatchObject({ count: 7, isAskedAgain: false });
  });

  it.each(['5 5 5. 5 5 5.', 'Seven two. Seven two.', 'Twenty. Twenty.', 'A B. A B.'])(
    'are also digits and letters that are dictated again: %s',
    (text) => expect(of(text).isAskedAgain).toBe(false),
  );

  it('are no longer those of a sentence for a single letter in it', () => {
    expect(of('I am here. I am here.')).toMatchObject({ count: 3, isAskedAgain: true });
  });

  it('are judged in the language of the user', () => {
    expect(of('Wann öffnen Sie heute? Sind Sie noch da?')).toMatchObject({ count: 4, isAskedAgain: true });
  });
});
