import { expect, it } from 'vitest';
import { SoundSpans } from '../../../engine/timeline/sound-spans.ts';

it('voice activity after a time without packets is where it was heard', () => {
  const spans = new SoundSpans();
  const GAP_MS = 8_000;
  const SPEECH_MS = 2_000;
  const record = { seq: 0, commands: [] };
  const heard = [
    { atMs: 100, audioMs: 100, event: { type: 'call.offered' as const } },
    { atMs: 5_000, audioMs: SPEECH_MS, event: { type: 'timer' as const, timer: 'filler' as const } },
    ...(['media.speech_started', 'media.speech_stopped'] as const).map((type, nth) => {
      const positionMs = SPEECH_MS + nth * 1_000;
      const audioMs = positionMs + 200;
      return { atMs: audioMs + GAP_MS, audioMs, event: { type, audioMs: positionMs } };
    }),
  ].flatMap(({ atMs, ...entry }) => spans.add({ ...record, ...entry, atUs: atMs * 1000 }));
  expect(heard).toEqual([
    {
      type: 'voice_activity',
      fromUs: (SPEECH_MS + GAP_MS) * 1000,
      toUs: (SPEECH_MS + GAP_MS + 1_000) * 1000,
    },
  ]);
});
