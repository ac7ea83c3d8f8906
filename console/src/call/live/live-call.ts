import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followEvents } from '../../api/event-stream.ts';
import { currentKey } from '../../session/keyring-store.ts';

/** Shortest time between two reads of a call, ms: many events arrive at once. */
const READ_INTERVAL_MS = 400;

/** Reads the call and its timeline again after each of its events, until no event can follow. */
export function useLiveCall(callId: string, isRunning: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    const key = currentKey();
    if (!isRunning || key === null) return;
    const stop = new AbortController();
    const readSoon = throttled(client, callId);
    void followEvents(`/v1/calls/${callId}/events`, key.secret, { onEvents: readSoon, stop: stop.signal });
    return () => stop.abort();
  }, [client, callId, isRunning]);
}

function throttled(client: QueryClient, callId: string): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      void client.invalidateQueries({ queryKey: ['call', callId] });
      void client.invalidateQueries({ queryKey: ['timeline', callId] });
    }, READ_INTERVAL_MS);
  };
}
