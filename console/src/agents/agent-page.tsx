import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { type Agent, type AgentWarning, getAgent } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { useWebCall } from '../talk/use-web-call.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { agentDocument, NEW_AGENT, parsedGraph } from './agent-document.ts';
import { AgentTalk } from './agent-talk.tsx';
import { Finding } from './finding.tsx';
import { SaveBar } from './save-bar.tsx';

const StateGraph = lazy(async () => ({ default: (await import('./graph/state-graph.tsx')).StateGraph }));
const JsonEditor = lazy(async () => ({ default: (await import('./editor/json-editor.tsx')).JsonEditor }));

export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' });
  const query = useQuery({ queryKey: ['agent', agentId], queryFn: () => bodyOf(getAgent(agentId)) });
  const text = useText();
  const mayWrite = useAllowed('write');
  const [findings, setFindings] = useState<readonly AgentWarning[]>([]);
  const [isTalking, setTalking] = useState(false);
  const { call, state } = useWebCall();
  return (
    <section className="page">
      <AgentsLink />
      <QueryView query={query}>
        {({ data }) => (
          <>
            <div className="row">
              <h1 className="agent-name">{data.name}</h1>
              <Badge>v{data.version}</Badge>
              {mayWrite && (
                <Button aria-expanded={isTalking} onClick={() => setTalking(!isTalking)}>
                  {text.talk.talkToIt}
                </Button>
              )}
            </div>
            {isTalking && <AgentTalk agent={data} call={call} state={state} />}
            <AgentView key={data.version} agent={data} findings={findings} path={state.path} onFindings={setFindings} />
          </>
        )}
      </QueryView>
    </section>
  );
}

function AgentsLink() {
  const text = useText();
  return (
    <p>
      <Link to="/agents">← {text.agents.title}</Link>
    </p>
  );
}

export function NewAgentPage() {
  const [findings, setFindings] = useState<readonly AgentWarning[]>([]);
  const text = useText();
  return (
    <section className="page">
      <AgentsLink />
      <h1>{text.agents.create}</h1>
      <AgentView agent={null} findings={findings} path={NO_PATH} onFindings={setFindings} />
    </section>
  );
}

const NO_PATH: readonly string[] = [];

interface AgentViewProps {
  /** null: a new one. */
  readonly agent: Agent | null;
  /** Of the last attempt to publish. They outlive the version that was edited. */
  readonly findings: readonly AgentWarning[];
  /** States that a call on this page goes through. */
  readonly path: readonly string[];
  readonly onFindings: (findings: readonly AgentWarning[]) => void;
}

/** The graph of an agent beside its document, which is edited. */
function AgentView({ agent, findings, path, onFindings }: AgentViewProps) {
  const text = useText();
  const mayWrite = useAllowed('write');
  const stored = useMemo(() => (agent === null ? NEW_AGENT : agentDocument(agent)), [agent]);
  const [content, setContent] = useState(stored);
  const graph = useMemo(() => parsedGraph(content), [content]);
  return (
    <>
      {mayWrite && <SaveBar agent={agent} content={content} isChanged={content !== stored} onFindings={onFindings} />}
      {findings.map((finding) => (
        <Finding key={`${finding.field} ${finding.message}`} finding={finding} />
      ))}
      <div className="agent-columns">
        <section className="card stack" aria-label={text.agents.document}>
          <h2>{text.agents.document}</h2>
          <Suspense fallback={<p className="quiet">{text.common.loading}</p>}>
            <JsonEditor label={text.agents.document} initial={stored} isReadOnly={!mayWrite} onChange={setContent} />
          </Suspense>
        </section>
        <section className="card stack" aria-label={text.agents.graph}>
          <h2>{text.agents.graph}</h2>
          {graph === null ? (
            <p className="quiet">{text.agents.noGraph}</p>
          ) : (
            <Suspense fallback={<p className="quiet">{text.common.loading}</p>}>
              <StateGraph graph={graph} findings={findings} path={path} />
            </Suspense>
          )}
        </section>
      </div>
    </>
  );
}
