import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAgentNames } from '../api/agent-list.ts';
import { bodyOf } from '../api/connection.ts';
import { CallDuration } from '../calls/call-duration.tsx';
import { statusTone } from '../calls/call-facts.ts';
import { calledName, partyName } from '../calls/party-name.ts';
import { localTime } from '../format/time.ts';
import { type Call, type CallTimeline, getCall } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Loading, QueryView } from '../ui/query-view.tsx';
import { CallCosts } from './call-costs-panel.tsx';
import { Deliveries } from './deliveries.tsx';
import { Downloads } from './downloads-panel.tsx';
import { useLiveCall } from './live/live-call.ts';
import { LivePanel } from './live/live-panel.tsx';
import { StatePath } from './path/state-path-panel.tsx';
import { QualityPanel } from './quality-panel.tsx';
import type { Player } from './recording/player.ts';
import { Silences } from './silence/silences-panel.tsx';
import { SipLadder } from './sip-ladder.tsx';
import { axisLengthMs } from './time-axis.ts';
import { Timeline } from './timeline.tsx';
import { useTimeline } from './timeline-query.ts';
import { Transcript } from './transcript.tsx';
import { Variables } from './variables-panel.tsx';
import { Waterfall } from './waterfall-panel.tsx';

const Waveform = lazyPart(async () => (await import('./recording/waveform.tsx')).Waveform);
const FINAL: readonly Call['status'][] = ['completed', 'no_answer', 'busy', 'canceled', 'failed'];

export function CallPage() {
  const { callId } = useParams({ from: '/calls/$callId' });
  const query = useQuery({ queryKey: ['call', callId], queryFn: () => bodyOf(getCall(callId)) });
  const timeline = useTimeline(callId);
  // Both at once: the lanes and panels of the timeline would move what is shown before them.
  const isTimelineAwaited = timeline.isLoading && timeline.failureReason === null;
  return (
    <section className="page">
      <QueryView query={query}>
        {({ data }) =>
          isTimelineAwaited ? <Loading /> : <CallView key={data.id} call={data} timelineQuery={timeline} />
        }
      </QueryView>
    </section>
  );
}

interface CallViewProps {
  readonly call: Call;
  readonly timelineQuery: UseQueryResult<CallTimeline>;
}

function CallView({ call, timelineQuery }: CallViewProps) {
  const mayWrite = useAllowed('write');
  const timeline = timelineQuery.data ?? null;
  const [player, setPlayer] = useState<Player | null>(null);
  const isRunning = !FINAL.includes(call.status);
  const isRecordingAwaited = useLiveCall(call);
  return (
    <>
      <CallHeader call={call} />
      {isRunning && mayWrite && <LivePanel call={call} />}
      <QueryView query={timelineQuery}>{() => null}</QueryView>
      <Timeline call={call} timeline={timeline} player={player}>
        {call.recording_url !== null && (
          <div className="recording">
            {isRecordingAwaited ? (
              <Loading />
            ) : (
              <Waveform callId={call.id} axisMs={axisLengthMs(call)} onReady={setPlayer} />
            )}
          </div>
        )}
      </Timeline>
      <div className="call-columns">
        <Transcript call={call} player={player} />
        <div className="stack">
          {timeline !== null && <Silences timeline={timeline} player={player} />}
          <QualityPanel call={call} />
          <CallCosts call={call} />
          <Waterfall turns={call.metrics.per_turn ?? []} player={player} call={call} />
          {timeline !== null && <StatePath call={call} timeline={timeline} player={player} />}
          {timeline !== null && <Variables call={call} timeline={timeline} player={player} />}
          <Downloads call={call} />
          <Deliveries callId={call.id} mayWrite={mayWrite} />
          <SipLadder call={call} />
        </div>
      </div>
    </>
  );
}

function CallHeader({ call }: { readonly call: Call }) {
  const { language, messages: text } = useLanguage();
  return (
    <div className="stack">
      <p>
        <Link to="/calls">← {text.calls.title}</Link>
      </p>
      <div className="row">
        <h1 className="mono">
          {call.type === 'web_call'
            ? text.calls.web
            : `${partyName(call, call.from_number, text)} → ${calledName(call, text)}`}
        </h1>
        <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
        {call.end_reason !== null && <span>{text.endReasons[call.end_reason]}</span>}
      </div>
      <p className="quiet">
        {text.calls[call.direction]} · {localTime(call.start_time ?? call.created_at, language)} ·{' '}
        <CallDuration call={call} /> · <CallAgent call={call} /> <span className="mono">{call.id}</span>
      </p>
    </div>
  );
}

/** The agent in the version that the call has. */
function CallAgent({ call: { agent_id: id, agent_version: version } }: { readonly call: Call }) {
  const name = useAgentNames().get(id ?? '');
  if (id === null || version === null) return null;
  return (
    <>
      <Link to="/agents/$agentId" params={{ agentId: id }} search={{ version }}>
        {name ?? id.slice(0, 8)} v{version}
      </Link>{' '}
      ·{' '}
    </>
  );
}
