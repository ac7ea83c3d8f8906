import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agentDocument, parsedGraph } from '../../agents/document/agent-document.ts';
import { bodyOf } from '../../api/connection.ts';
import { type Call, type CallTimeline, getAgent } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import type { Player } from '../recording/player.ts';
import { SeekButton } from '../recording/seek-button.tsx';

const StateGraph = lazyPart(async () => (await import('../../agents/graph/state-graph.tsx')).StateGraph);

interface StatePathProps {
  readonly call: Call;
  readonly timeline: CallTimeline;
  readonly player: Player | null;
}

/** The states that the call went through, as a list and, on request, on the graph of its agent. */
export function StatePath({ call, timeline, player }: StatePathProps) {
  const text = useText();
  const [isDrawn, setDrawn] = useState(false);
  if (timeline.states.length === 0) return null;
  return (
    <section className="card stack" aria-label={text.call.path}>
      <div className="row spread">
        <h2>{text.call.path}</h2>
        {call.agent_id !== null && (
          <Button aria-pressed={isDrawn} onClick={() => setDrawn(!isDrawn)}>
            {text.call.graph}
          </Button>
        )}
      </div>
      <ol>
        {timeline.states.map(({ condition, name, start_ms }) => (
          <li key={start_ms} className="silence">
            <SeekButton atMs={start_ms} timeline={timeline} player={player} />
            <p>
              <strong>{name}</strong>
              {condition !== null && <span className="quiet"> {condition}</span>}
            </p>
          </li>
        ))}
      </ol>
      {isDrawn && call.agent_id !== null && (
        <PathGraph
          agentId={call.agent_id}
          version={call.agent_version}
          path={timeline.states.map(({ name }) => name)}
        />
      )}
    </section>
  );
}

interface PathGraphProps {
  readonly agentId: string;
  readonly version: number | null;
  readonly path: readonly string[];
}

function PathGraph({ agentId, version, path }: PathGraphProps) {
  const text = useText();
  const query = useQuery({
    queryKey: ['agent', agentId, version],
    queryFn: () => bodyOf(getAgent(agentId, version === null ? {} : { version })),
  });
  return (
    <QueryView query={query}>
      {({ data }) => {
        const graph = parsedGraph(agentDocument(data));
        return graph === null ? (
          <p className="quiet">{text.agents.noGraph}</p>
        ) : (
          <StateGraph graph={graph} findings={[]} path={path} />
        );
      }}
    </QueryView>
  );
}
