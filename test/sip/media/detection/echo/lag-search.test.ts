import { describe, expect, it } from 'vitest';
import { atLevel, syntheticSpeech } from '../../../../../fixtures/sound/recorded-speech.ts';
import { BANDS } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { LAGS, LagSearch } from '../../../../../sip/media/detection/echo/lag-search.ts';
import { PlayedAudio } from '../../../../../sip/media/detection/echo/played-audio.ts';

const FRAME_SAMPLES = 160;
const LAG = 7;
const AGENT = atLevel(syntheticSpeech('address-woman'), -20);
/** 0.3 s of loud audio at each lag, with the pauses of speech. */
const DECIDED_FRAMES = LAGS + 40;

function play(played: PlayedAudio, frame: number): void {
  const at = (frame * FRAME_SAMPLES) % (AGENT.length - FRAME_SAMPLES);
  const narrow = AGENT.subarray(at, at + FRAME_SAMPLES);
  played.agentWide(
    Int16Array.from({ length: 2 * FRAME_SAMPLES }, (_, i) => narrow[i >> 1] ?? 0),
    2 * FRAME_SAMPLES,
  );
}

/** A search that has accepted a lag and lost its echo again. */
function forgetfulSearch() {
  const played = new PlayedAudio();
  const search = new LagSearch();
  const levels = new Float64Array(BANDS);
  for (let frame = 0; frame < DECIDED_FRAMES; frame++) {
    play(played, frame);
    search.heard(played, frame, levels);
  }
  search.accept(LAG);
  search.forget();
  return { played, search };
}

describe('a search whose echo is gone', () => {
  it('is not decided: the echo may have moved to another lag', () => {
    const { search } = forgetfulSearch();
    expect([search.lag, search.isDecided]).toEqual([-1, false]);
  });

  it('is decided again once no lag returns loud audio', () => {
    const { played, search } = forgetfulSearch();
    let frame = DECIDED_FRAMES;
    while (!search.isDecided && frame < 3 * DECIDED_FRAMES) {
      play(played, frame);
      search.unheard(played, frame++);
    }
    expect(search.isDecided).toBe(true);
    expect(frame - DECIDED_FRAMES).toBeGreaterThan(10);
  });
});
