import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Agent, AgentVersion } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { useWebCall } from '../talk/use-web-call.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AgentTalk } from './agent-talk.tsx';
import type { AgentFinding } from './check/agent-finding.ts';
import { Finding } from './check/finding.tsx';
import { useDocumentCheck } from './check/use-document-check.ts';
import { agentDocument, NEW_AGENT, parsedGraph, parsedObject } from './document/agent-document.ts';
import { DocumentPanel } from './editing/document-panel.tsx';
import { GraphPanel } from './editing/graph-panel.tsx';
import { SaveBar } from './save-bar.tsx';
import { useAgent, useVersions } from './stored/agent-query.ts';
import { AgentTests } from './tests/agent-tests.tsx';
import { VersionsPanel } from './versions/versions-panel.tsx';

export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' });
  const { version } = useSearch({ from: '/agents/$agentId' });
  const query = useAgent(agentId, version ?? null);
  const versions = useVersions(agentId);
  const [findings, setFindings] = useState<readonly AgentFinding[]>([]);
  const { call, state } = useWebCall();
  const [opened, setOpened] = useState<readonly Panel[]>([]);
  return (
    <section className="page">
      <AgentsLink />
      <QueryView query={query}>
        {({ data }) => (
          <>
            <AgentHead agent={data} versions={versions.data?.data ?? []} opened={opened} onOpened={setOpened} />
            {opened.includes('talk') && <AgentTalk agent={data} call={call} state={state} />}
            {opened.includes('tests') && <AgentTests agent={data} />}
            <AgentView
              key={data.version}
              agent={data}
              versions={versions.data?.data ?? []}
              hasVersions={opened.includes('versions')}
              findings={findings}
              path={state.path}
              onFindings={setFindings}
            />
          </>
        )}
      </QueryView>
    </section>
  );
}

type Panel = 'talk' | 'tests' | 'versions';

interface AgentHeadProps {
  readonly agent: Agent;
  readonly versions: readonly AgentVersion[];
  readonly opened: readonly Panel[];
  readonly onOpened: (opened: readonly Panel[]) => void;
}

/** Name and version of the agent, and what can be opened beside it. */
function AgentHead({ agent, versions, opened, onOpened }: AgentHeadProps) {
  const text = useText();
  const mayWrite = useAllowed('write');
  const shown = versions.find(({ version }) => version === agent.version);
  const toggle = (panel: Panel) =>
    onOpened(opened.includes(panel) ? opened.filter((one) => one !== panel) : [...opened, panel]);
  return (
    <div className="row">
      <h1 className="agent-name">{agent.name}</h1>
      <Badge>v{agent.version}</Badge>
      {shown?.active === false && (
        <Badge tone="info">{shown.published ? text.agents.versions.published : text.agents.versions.draft}</Badge>
      )}
      {mayWrite && (
        <>
          <Button aria-expanded={opened.includes('talk')} onClick={() => toggle('talk')}>
            {text.talk.talkToIt}
          </Button>
          <Button aria-expanded={opened.includes('tests')} onClick={() => toggle('tests')}>
            {text.agents.tests.title}
          </Button>
        </>
      )}
      <Button aria-expanded={opened.includes('versions')} onClick={() => toggle('versions')}>
        {text.agents.versions.title}
      </Button>
    </div>
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
  const [findings, setFindings] = useState<readonly AgentFinding[]>([]);
  const text = useText();
  return (
    <section className="page">
      <AgentsLink />
      <h1>{text.agents.create}</h1>
      <AgentView
        agent={null}
        versions={[]}
        hasVersions={false}
        findings={findings}
        path={NO_PATH}
        onFindings={setFindings}
      />
    </section>
  );
}

const NO_PATH: readonly string[] = [];

interface AgentViewProps {
  /** null: a new one. */
  readonly agent: Agent | null;
  readonly versions: readonly AgentVersion[];
  /** Whether the versions are shown. */
  readonly hasVersions: boolean;
  /** The findings of the last attempt to publish. They stay after the edited version is stored. */
  readonly findings: readonly AgentFinding[];
  /** States that a call on this page goes through. */
  readonly path: readonly string[];
  readonly onFindings: (findings: readonly AgentFinding[]) => void;
}

/** The graph of an agent beside its document, which is edited. */
function AgentView({ agent, versions, hasVersions, findings, path, onFindings }: AgentViewProps) {
  const text = useText();
  const mayWrite = useAllowed('write');
  const stored = useMemo(() => (agent === null ? NEW_AGENT : agentDocument(agent)), [agent]);
  const [content, setContent] = useState(stored);
  const isChanged = content !== stored;
  const graph = useMemo(() => parsedGraph(content), [content]);
  const document = useMemo(() => parsedObject(content), [content]);
  const edit = (changed: unknown) => setContent(JSON.stringify(changed, null, 2));
  const checked = useDocumentCheck(content, isChanged);
  // The findings of the service count until the document changes.
  const shown = isChanged && checked.length > 0 ? checked : findings;
  return (
    <>
      {agent !== null && hasVersions && <VersionsPanel agentId={agent.id} shown={agent.version} content={content} />}
      {mayWrite && (
        <SaveBar agent={agent} versions={versions} content={content} isChanged={isChanged} onFindings={onFindings} />
      )}
      {shown.map((finding) => (
        <Finding key={`${finding.field} ${finding.message}`} finding={finding} />
      ))}
      <div className="agent-columns">
        <section className="card" aria-label={text.agents.document}>
          <DocumentPanel
            document={document}
            onEdit={edit}
            content={content}
            onContent={setContent}
            isReadOnly={!mayWrite}
          />
        </section>
        <section className="card stack" aria-label={text.agents.graph}>
          <h2>{text.agents.graph}</h2>
          <GraphPanel
            document={document}
            onEdit={edit}
            graph={graph}
            findings={shown}
            path={path}
            isReadOnly={!mayWrite}
          />
        </section>
      </div>
    </>
  );
}
