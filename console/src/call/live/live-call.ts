import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followEvents } from '../../api/event-stream.ts';
import type { ReceivedEvent } from '../../api/sent-events.ts';
import type { Call } from '../../generated/client.ts';
import { currentKey } from '../../session/keyring-store.ts';
import { callAfterEvents } from './call-after-events.ts';
import { PacedReads } from './paced-reads.ts';

/** Time after the end of a call in which a page that is opened waits for its recording and post-call answers, ms. */
const FOLLOWED_AFTER_END_MS = 10 * 60_000;
/** Rare events that change more of the call than they carry. */
const READ_AT_ONCE: ReadonlySet<string> = new Set([
  'event_call_status_changed',
  'event_recording_ready',
  'event_post_call_answers_ready',
]);

/** What `getCall` answers, and the cache holds. */
interface CallAnswer {
  readonly data: Call;
}

/**
 * Follows a call until no event can follow, which is after its end: puts new transcript entries into the cached call, and reads call
 * and timeline again. Returns whether to wait for the event that the recording is complete; false also once the stream was interrupted.
 */
export function useLiveCall(call: Call): boolean {
  const client = useQueryClient();
  const { id: callId } = call;
  // Once followed, the call is followed beyond its end.
  const [isFollowed] = useState(() => mayChange(call, Date.now()));
  const [isRecordingAwaited, setRecordingAwaited] = useState(isFollowed);
  useEffect(() => {
    const key = currentKey();
    if (!isFollowed || key === null) return;
    const stop = new AbortController();
    const reads = new PacedReads(() => readAgain(client, callId));
    const onEvents = (events: readonly ReceivedEvent[]) => {
      client.setQueryData<CallAnswer>(
        ['call', callId],
        (before) => before && { ...before, data: callAfterEvents(before.data, events) },
      );
      if (events.some(({ type }) => type === 'event_recording_ready')) {
        setRecordingAwaited(false);
        // An incomplete recording may have been read before.
        void client.invalidateQueries({ queryKey: ['recording', callId] });
      }
      if (events.some(({ type }) => READ_AT_ONCE.has(type))) reads.now();
      else reads.soon();
    };
    const onConnection = (isConnected: boolean) => {
      if (!isConnected) setRecordingAwaited(false);
    };
    const follower = { onEvents, onConnection, stop: stop.signal };
    void followEvents(`/v1/calls/${callId}/events`, key.secret, follower).then(() => {
      if (stop.signal.aborted) return;
      setRecordingAwaited(false);
      reads.now();
    });
    return () => {
      stop.abort();
      reads.stop();
    };
  }, [client, callId, isFollowed]);
  return isRecordingAwaited;
}

function mayChange({ end_time: endTime }: Call, nowMs: number): boolean {
  return endTime === null || nowMs - Date.parse(endTime) < FOLLOWED_AFTER_END_MS;
}

function readAgain(client: QueryClient, callId: string): void {
  void client.invalidateQueries({ queryKey: ['call', callId] });
  void client.invalidateQueries({ queryKey: ['timeline', callId] });
}
