import { useEffect, useState, useSyncExternalStore } from 'react';
import { followEvents } from '../api/event-stream.ts';
import { useText } from '../i18n/language.tsx';
import { currentKey } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Notice } from '../ui/notice.tsx';
import type { CallSearch } from './call-search.ts';
import { RunningList } from './running-list.ts';
import { RunningTable } from './running-table.tsx';

/** The running calls as they begin, change and end. */
export function RunningCalls({ search }: { readonly search: Pick<CallSearch, 'agent' | 'type'> }) {
  const text = useText();
  const { calls, isConnected, refusedBy } = useRunningCalls();
  if (refusedBy !== null) return <Notice tone="bad">{text.calls.refused(refusedBy)}</Notice>;
  if (calls === null) {
    return (
      <p className="quiet" aria-busy="true">
        {text.common.loading}
      </p>
    );
  }
  const { agent, type } = search;
  const shown = calls.filter(
    (call) => (agent === undefined || call.agent_id === agent) && (type === undefined || call.type === type),
  );
  return (
    <>
      <p className="row">
        <Badge tone={isConnected ? 'good' : 'warn'}>{isConnected ? text.calls.live : text.calls.connecting}</Badge>
        <span className="quiet">{text.calls.count(shown.length)}</span>
      </p>
      {shown.length === 0 ? <p className="quiet">{text.calls.emptyRunning}</p> : <RunningTable calls={shown} />}
    </>
  );
}

/** `refusedBy`: the HTTP status with which the service refused the stream. */
function useRunningCalls() {
  const [list] = useState(() => new RunningList());
  const [refusedBy, setRefusedBy] = useState<number | null>(null);
  useEffect(() => {
    const key = currentKey();
    if (key === null) return;
    const stop = new AbortController();
    void followEvents('/v1/calls/running/events', key.secret, {
      onEvents: (events) => list.receive(events),
      onConnection: (isConnected) => list.connected(isConnected),
      stop: stop.signal,
    }).then(setRefusedBy);
    return () => stop.abort();
  }, [list]);
  const view = useSyncExternalStore(
    (listener) => list.listen(listener),
    () => list.view,
  );
  return { ...view, refusedBy };
}
