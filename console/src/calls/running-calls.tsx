import { useEffect, useState, useSyncExternalStore } from 'react';
import { followEvents } from '../api/event-stream.ts';
import { useText } from '../i18n/language.tsx';
import { currentKey } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Notice } from '../ui/notice.tsx';
import { Loading } from '../ui/query-view.tsx';
import { OpenCircuits } from './open-circuits.tsx';
import { type RunningFilter, runningEventsPath } from './running-filter.ts';
import { RunningList } from './running-list.ts';
import { RunningTable } from './running-table.tsx';

interface RunningCallsProps {
  readonly filter: RunningFilter;
}

/** The running calls as they begin, change and end. Another filter needs another `key`. */
export function RunningCalls({ filter }: RunningCallsProps) {
  const text = useText();
  const { calls, isConnected, isTruncated, refusedBy } = useRunningCalls(runningEventsPath(filter));
  if (refusedBy !== null) return <Notice tone="bad">{text.calls.refused(refusedBy)}</Notice>;
  if (calls === null) return <Loading />;
  return (
    <>
      <p className="row">
        <Badge tone={isConnected ? 'good' : 'warn'}>{isConnected ? text.calls.live : text.calls.connecting}</Badge>
        {(isConnected || calls.length > 0) && (
          <span className="quiet">
            {isTruncated ? text.calls.newestCount(calls.length) : text.calls.count(calls.length)}
          </span>
        )}
        {!isConnected && <span role="status">{text.common.stale}</span>}
        <OpenCircuits />
      </p>
      {calls.length > 0 && <RunningTable calls={calls} />}
      {calls.length === 0 && isConnected && <p className="quiet">{text.calls.emptyRunning}</p>}
    </>
  );
}

/** `refusedBy`: the HTTP status with which the service refused the stream. */
function useRunningCalls(path: string) {
  const [list] = useState(() => new RunningList());
  const [refusedBy, setRefusedBy] = useState<number | null>(null);
  useEffect(() => {
    const key = currentKey();
    if (key === null) return;
    const stop = new AbortController();
    void followEvents(path, key.secret, {
      onEvents: (events) => list.receive(events),
      onConnection: (isConnected) => list.connected(isConnected),
      stop: stop.signal,
    }).then(setRefusedBy);
    return () => stop.abort();
  }, [list, path]);
  const view = useSyncExternalStore(
    (listener) => list.listen(listener),
    () => list.view,
  );
  return { ...view, refusedBy };
}
