import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { fileOf } from '../../api/connection.ts';
import { useText } from '../../i18n/language.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { STYLE_NONCE } from '../../ui/style-nonce.ts';
import type { Player } from './player.ts';
import { type WavPeaks, wavPeaks } from './wav-peaks.ts';

const CHANNEL_HEIGHT_PX = 44;

interface WaveformProps {
  readonly callId: string;
  /** Length of the time axis, ms. */
  readonly axisMs: number;
  readonly onReady: (player: Player | null) => void;
}

/**
 * The recording from its begin, the answer: the user's channel above the agent's. It covers its own part of the time axis: a process
 * that was killed or a full disk ends it before the call.
 */
export function Waveform({ callId, axisMs, onReady }: WaveformProps) {
  const query = useQuery({
    queryKey: ['recording', callId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const wav = await fileOf(`/v1/calls/${callId}/recording`);
      return { wav, peaks: await wavPeaks(await wav.arrayBuffer()) };
    },
  });
  return (
    <QueryView query={query}>{(recording) => <Drawn {...recording} axisMs={axisMs} onReady={onReady} />}</QueryView>
  );
}

interface DrawnProps extends Pick<WaveformProps, 'axisMs' | 'onReady'> {
  readonly wav: Blob;
  readonly peaks: WavPeaks;
}

function Drawn({ wav, peaks, axisMs, onReady }: DrawnProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const url = URL.createObjectURL(wav);
    const colours = getComputedStyle(document.documentElement);
    const colourOf = (name: string) => resolvedColour(colours.getPropertyValue(name));
    const channel = (name: string) => ({
      waveColor: colourOf(name),
      progressColor: colourOf(name),
      height: CHANNEL_HEIGHT_PX,
    });
    const surfer = WaveSurfer.create({
      container: place.current,
      url,
      peaks: [...peaks.channels],
      duration: peaks.durationMs / 1_000,
      cspNonce: STYLE_NONCE,
      cursorColor: colourOf('--ink'),
      normalize: true,
      splitChannels: [channel('--user'), channel('--agent')],
    });
    onReady({
      playFrom: (atMs) => {
        surfer.setTime(Math.min(atMs, peaks.durationMs) / 1_000);
        // At its end, play would begin again.
        if (atMs < peaks.durationMs) void surfer.play();
        else surfer.pause();
      },
      toggle: () => void surfer.playPause(),
      onTime: (listener) => surfer.on('timeupdate', (seconds) => listener(seconds * 1_000)),
      onPlaying: (listener) => {
        const stops = [surfer.on('play', () => listener(true)), surfer.on('pause', () => listener(false))];
        return () => {
          for (const stop of stops) stop();
        };
      },
    });
    return () => {
      onReady(null);
      surfer.destroy();
      URL.revokeObjectURL(url);
    };
  }, [wav, peaks, onReady]);
  const { evidence } = useText();
  return (
    <>
      <span className="lane-name channel-name">{evidence.recordedUser}</span>
      <span className="lane-name channel-name">{evidence.recordedAgent}</span>
      <div className="waveform">
        <div ref={place} style={{ width: `${(100 * peaks.durationMs) / axisMs}%` }} />
      </div>
    </>
  );
}

/** A canvas knows no `light-dark()`: the browser computes the colour of an element. */
function resolvedColour(value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
