import { describe, expect, it } from 'vitest';
import { createSpeechText } from '../../../adapters/text-normalisation/speech-text.ts';
import { WordTimes } from '../../../adapters/text-normalisation/word-times.ts';

function timesOf(text: string, pronunciations: readonly { readonly from: string; readonly to: string }[] = []) {
  return new WordTimes(createSpeechText({ language: 'en', voiceNormalisesText: false, pronunciations })(text));
}

const at = (text: string, startMs: number) => ({ text, startMs, endMs: startMs + 90 });

describe('word times', () => {
  it('emits a word of several spoken words with the last of them, with the times of all', () => {
    const times = timesOf('Pay $5.50 now.');
    expect(times.take([at('Pay', 0), at('five', 100), at('dollars', 200), at('and', 300), at('fifty', 400)])).toEqual([
      { text: 'Pay', startMs: 0, endMs: 90 },
    ]);
    expect(times.take([at('cents', 500)])).toEqual([{ text: '$5.50', startMs: 100, endMs: 590 }]);
    expect(times.take([at('now.', 600)])).toEqual([{ text: 'now.', startMs: 600, endMs: 690 }]);
    expect(times.rest()).toEqual([]);
  });

  it('words that are spoken as one unit end together', () => {
    const times = timesOf('Call 415 555 0123 today');
    const digits = 'four one five five five five zero one two three'.split(' ');
    expect(times.take([at('Call', 0), ...digits.slice(0, 9).map((digit, n) => at(digit, 100 + n * 100))])).toHaveLength(
      1,
    );
    expect(times.take([at('three', 1_000)]).map((word) => word.text)).toEqual(['415', '555', '0123']);
    expect(times.take([at('today', 1_100)])).toMatchObject([{ text: 'today', startMs: 1_100 }]);
  });

  it('emits a word of the dictionary as it was written', () => {
    const times = timesOf('Ask Nguyen.', [{ from: 'nguyen', to: 'win' }]);
    expect(times.take([at('Ask', 0), at('win', 100)]).map((word) => word.text)).toEqual(['Ask', 'Nguyen.']);
  });

  it('ignores case, white space and signs that the voice leaves out', () => {
    const times = timesOf('Well — “Hello”, you!');
    expect(times.take([at(' well', 0), at('hello', 100), at('YOU', 200)]).map((word) => word.text)).toEqual([
      'Well',
      '“Hello”,',
      'you!',
    ]);
  });

  it('skips pieces that the text does not contain, and finds later words', () => {
    const times = timesOf('One two three.');
    expect(times.take([at('One', 0), at('uh', 100), at('', 150), at('two', 200)]).map((word) => word.text)).toEqual([
      'One',
      'two',
    ]);
  });

  it('emits a partly timed word at the end', () => {
    const times = timesOf('Good evening');
    expect(times.take([...'Good eve'].map((character, n) => at(character, n * 100)))).toHaveLength(1);
    expect(times.rest()).toEqual([{ text: 'evening', startMs: 500, endMs: 790 }]);
    expect(times.rest()).toEqual([]);
  });
});
