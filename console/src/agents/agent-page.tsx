import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { type Agent, type AgentWarning, getAgent } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { activeKey, allows } from '../session/keyring.ts';
import { useKeyring } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { agentDocument, NEW_AGENT, parsedGraph } from './agent-document.ts';
import { Finding } from './finding.tsx';
import { SaveBar } from './save-bar.tsx';

const StateGraph = lazy(async () => ({ default: (await import('./graph/state-graph.tsx')).StateGraph }));
const JsonEditor = lazy(async () => ({ default: (await import('./editor/json-editor.tsx')).JsonEditor }));

export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' });
  const query = useQuery({ queryKey: ['agent', agentId], queryFn: () => bodyOf(getAgent(agentId)) });
  const [findings, setFindings] = useState<readonly AgentWarning[]>([]);
  return (
    <section className="page">
      <QueryView query={query}>
        {({ data }) => <AgentView key={data.version} agent={data} findings={findings} onFindings={setFindings} />}
      </QueryView>
    </section>
  );
}

export function NewAgentPage() {
  const [findings, setFindings] = useState<readonly AgentWarning[]>([]);
  return (
    <section className="page">
      <AgentView agent={null} findings={findings} onFindings={setFindings} />
    </section>
  );
}

interface AgentViewProps {
  /** null: a new one. */
  readonly agent: Agent | null;
  /** Of the last attempt to publish. They outlive the version that was edited. */
  readonly findings: readonly AgentWarning[];
  readonly onFindings: (findings: readonly AgentWarning[]) => void;
}

/** The graph of an agent beside its document, which is edited. */
function AgentView({ agent, findings, onFindings }: AgentViewProps) {
  const text = useText();
  const held = activeKey(useKeyring());
  const mayWrite = held !== null && allows(held.key, 'write');
  const stored = useMemo(() => (agent === null ? NEW_AGENT : agentDocument(agent)), [agent]);
  const [content, setContent] = useState(stored);
  const graph = useMemo(() => parsedGraph(content), [content]);
  return (
    <>
      <p>
        <Link to="/agents">← {text.agents.title}</Link>
      </p>
      <div className="row">
        <h1>{agent?.name ?? text.agents.create}</h1>
        {agent !== null && <Badge>v{agent.version}</Badge>}
      </div>
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
              <StateGraph graph={graph} findings={findings} />
            </Suspense>
          )}
        </section>
      </div>
    </>
  );
}
