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
  readonly onReady: (player: Player | null) => void;
}

/** The recording: the user's channel above the agent's. */
export function Waveform({ callId, onReady }: WaveformProps) {
  const query = useQuery({
    queryKey: ['recording', callId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const wav = await fileOf(`/v1/calls/${callId}/recording`);
      return { wav, peaks: await wavPeaks(await wav.arrayBuffer()) };
    },
  });
  return <QueryView query={query}>{(recording) => <Drawn {...recording} onReady={onReady} />}</QueryView>;
}

interface DrawnProps {
  readonly wav: Blob;
  readonly peaks: WavPeaks;
  readonly onReady: WaveformProps['onReady'];
}

function Drawn({ wav, peaks, onReady }: DrawnProps) {
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
        surfer.setTime(atMs / 1_000);
        void surfer.play();
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
      <div ref={place} />
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
