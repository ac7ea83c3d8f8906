import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Agent, AgentVersion } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { useWebCall } from '../talk/use-web-call.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AgentTalk } from './agent-talk.tsx';
import { AgentView } from './agent-view.tsx';
import { type ServiceFindings, warningFindings } from './check/agent-finding.ts';
import { activeVersion } from './stored/active-version.ts';
import { useAgent, useVersions } from './stored/agent-query.ts';
import { creationOf, forgetCreation } from './stored/creation.ts';
import type { Outcome } from './stored/outcome.ts';
import { AgentTests } from './tests/agent-tests.tsx';
import { DeploymentNotice, useDeployment } from './versions/deployment.tsx';

export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' });
  const { version } = useSearch({ from: '/agents/$agentId' });
  const query = useAgent(agentId, version ?? null);
  const versions = useVersions(agentId);
  const [creation] = useState(() => creationOf(agentId));
  useEffect(() => forgetCreation, []);
  const [findings, setFindings] = useState<ServiceFindings>(() => ({
    document: creation === null ? null : 1,
    findings: warningFindings(creation?.warnings ?? []),
  }));
  const [selected, select] = useState(creation?.selected ?? null);
  const [outcome, setOutcome] = useState<Outcome | null>(creation === null ? null : { kind: 'created', version: 1 });
  const deployment = useDeployment(agentId, () => setOutcome(null));
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
            <DeploymentNotice deployment={deployment} active={activeVersion(versions.data?.data ?? [])} />
            <AgentView
              key={data.version}
              agent={data}
              versions={versions.data?.data ?? []}
              deployment={opened.includes('versions') ? deployment : null}
              findings={findings}
              path={state.path}
              onFindings={setFindings}
              selected={selected}
              onSelect={select}
              outcome={outcome}
              onOutcome={setOutcome}
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
  const [findings, setFindings] = useState<ServiceFindings>({ document: null, findings: [] });
  const [selected, select] = useState<string | null>(null);
  const text = useText();
  return (
    <section className="page">
      <AgentsLink />
      <h1>{text.agents.create}</h1>
      <p className="quiet">{text.agents.start}</p>
      <AgentView
        agent={null}
        versions={[]}
        deployment={null}
        findings={findings}
        path={NO_PATH}
        onFindings={setFindings}
        selected={selected}
        onSelect={select}
        outcome={null}
        onOutcome={NOTHING}
      />
    </section>
  );
}

const NO_PATH: readonly string[] = [];
/** The page of the created agent shows the outcome. */
const NOTHING = () => undefined;
