import { clockTime } from '../format/time.ts';
import type { Messages } from '../i18n/en.ts';
import type { Ending, WebCallState } from './connection/web-call-state.ts';

/** The line above a web call, and whether it reports a fault. */
export function callStatus(
  state: WebCallState,
  { endReasons, talk }: Messages,
): { readonly line: string; readonly isFault: boolean } {
  switch (state.phase) {
    case 'idle':
      return { line: talk.hint, isFault: false };
    case 'connecting':
      return { line: talk.connecting, isFault: false };
    case 'connected':
      return { line: state.medium === 'typing' ? talk.connectedTyping : talk.connected, isFault: false };
    case 'reconnecting':
      return { line: talk.reconnecting, isFault: true };
    case 'ended': {
      const { ending, endedMs, startedMs } = state;
      const duration =
        startedMs === null || endedMs === null ? '' : ` ${talk.duration(clockTime(endedMs - startedMs))}`;
      const line = ending === null ? talk.lost : endingText(ending, talk, endReasons);
      return { line: `${line}${duration}`, isFault: ending?.type !== 'ended' };
    }
  }
}

function endingText(ending: Ending, talk: Messages['talk'], endReasons: Messages['endReasons']): string {
  switch (ending.type) {
    case 'ended': {
      const ofTalk = new Map(Object.entries(talk.endings));
      const ofCalls = new Map(Object.entries(endReasons));
      return ofTalk.get(ending.reason) ?? talk.ended(ofCalls.get(ending.reason) ?? ending.reason);
    }
    case 'lost':
      return talk.lost;
    case 'refused':
      return talk.refused;
    case 'microphone':
      return talk.microphoneFaults[ending.fault];
    case 'failed':
      return ending.message;
  }
}
