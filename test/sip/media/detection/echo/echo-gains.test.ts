import { expect, it } from 'vitest';
import { atLevel, syntheticSpeech } from '../../../../../fixtures/sound/recorded-speech.ts';
import { BANDS, BandPowers, FRAME_SAMPLES } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { EchoGains } from '../../../../../sip/media/detection/echo/echo-gains.ts';
import { PlayedAudio } from '../../../../../sip/media/detection/echo/played-audio.ts';

const AGENT = atLevel(syntheticSpeech('address-woman'), -20);
const FRAMES = 150;
const LAG = 20;
const GAIN = 0.05;
/** The played audio may be ahead of the received by this many frames. */
const CLOCK_FRAMES = 16;

/** Whether the gains are learnt from frames that arrive this much later than they should. */
function learns(lateFrames: number): boolean {
  const played = new PlayedAudio();
  const gains = new EchoGains();
  const bands = new BandPowers();
  const powers = new Float64Array(BANDS);
  const frameAt = (frame: number) => AGENT.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
  for (let frame = 0; frame < FRAMES; frame++) {
    played.agent(frameAt(frame), FRAME_SAMPLES);
    const heard = frame - lateFrames;
    if (heard < LAG) continue;
    bands.measure(frameAt(heard - LAG), powers, 0);
    const echo = powers.map((power) => power * GAIN);
    const power = echo.reduce((sum, band) => sum + band, 0);
    gains.remember(
      heard,
      echo.map((band) => Math.log2(band + 1)),
      power,
    );
  }
  return gains.learn(played, FRAMES - 1 - lateFrames, LAG);
}

it('the gains of an echo are learnt while the played frames that it returns are remembered', () => {
  expect([0, CLOCK_FRAMES - 1, CLOCK_FRAMES, 4 * CLOCK_FRAMES].map(learns)).toEqual([true, true, false, false]);
});
