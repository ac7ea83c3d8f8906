import { useIsMutating } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Agent, AgentVersion } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { type AgentFinding, joinedFindings, type ServiceFindings } from './check/agent-finding.ts';
import { FindingsPanel } from './check/findings-panel.tsx';
import { useDocumentCheck } from './check/use-document-check.ts';
import { type AgentGraph, agentDocument, NEW_AGENT, parsedGraph, parsedObject } from './document/agent-document.ts';
import { DocumentPanel } from './editing/document-panel.tsx';
import { useDocumentTabs } from './editing/document-tabs.ts';
import { GraphPanel } from './editing/graph-panel.tsx';
import { SaveBar, STORING } from './save-bar.tsx';
import type { Outcome } from './stored/outcome.ts';
import { useTakenOverChanges } from './taken-over-changes.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';
import type { Deployment } from './versions/deployment.tsx';
import { VersionsPanel } from './versions/versions-panel.tsx';

interface AgentViewProps {
  /** null: a new one. */
  readonly agent: Agent | null;
  readonly versions: readonly AgentVersion[];
  /** For the list of the versions; null: it is not shown. */
  readonly deployment: Deployment | null;
  /** They stay after the edited version is stored. */
  readonly findings: ServiceFindings;
  /** States that a call on this page goes through. */
  readonly path: readonly string[];
  readonly onFindings: (findings: ServiceFindings) => void;
  /** Name of the state that is edited; null: none was chosen. Stays when the edited version is stored. */
  readonly selected: string | null;
  readonly onSelect: (name: string) => void;
  readonly outcome: Outcome | null;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** The graph of an agent beside its document, which is edited. */
export function AgentView({ agent, deployment, findings, path, onFindings, ...shared }: AgentViewProps) {
  const text = useText();
  const mayWrite = useAllowed('write');
  // The stored document would replace what is typed until then.
  const isReadOnly = useIsMutating({ mutationKey: STORING }) > 0 || !mayWrite;
  const stored = useMemo(() => (agent === null ? NEW_AGENT : agentDocument(agent)), [agent]);
  // Changes that were taken over do not overwrite a version that was stored since they were kept.
  const { versions, ...begun } = useTakenOverChanges(agent) ?? { versions: shared.versions, content: stored };
  const [content, setContent] = useState(begun.content);
  const isChanged = content !== stored;
  const graph = useLastGraph(content);
  const tabs = useDocumentTabs(mayWrite);
  const document = useMemo(() => parsedObject(content), [content]);
  const edit = (changed: unknown) => setContent(JSON.stringify(changed, null, 2));
  const shown = useFindings(findings, content, isChanged ? null : (agent?.version ?? null));
  return (
    <>
      <UnsavedGuard agent={agent} versions={versions} content={content} isChanged={isChanged} />
      {agent !== null && deployment !== null && (
        <VersionsPanel
          agentId={agent.id}
          deployment={deployment}
          shown={agent.version}
          content={content}
          isChanged={isChanged}
        />
      )}
      <div className="editor-bar">
        {mayWrite && (
          <SaveBar
            agent={agent}
            versions={versions}
            content={content}
            isChanged={isChanged}
            selected={shared.selected}
            outcome={shared.outcome}
            onFindings={onFindings}
            onOutcome={shared.onOutcome}
          />
        )}
        <FindingsPanel findings={shown} content={content} onSelect={shared.onSelect} onField={tabs.showField} />
      </div>
      <div className="agent-columns">
        <DocumentPanel
          document={document}
          onEdit={edit}
          content={content}
          onContent={setContent}
          tabs={tabs}
          isReadOnly={isReadOnly}
        />
        <section className="card stack" aria-label={text.agents.graph}>
          <h2>{text.agents.graph}</h2>
          <GraphPanel
            document={document}
            onEdit={edit}
            graph={graph}
            findings={shown}
            path={path}
            mayWrite={mayWrite}
            isReadOnly={isReadOnly}
            selected={shared.selected}
            onSelect={shared.onSelect}
          />
        </section>
      </div>
    </>
  );
}

/**
 * The findings of the page about a document, and those of the service while it is the document that they are about.
 *
 * @param version that the document is without changes; null: it is changed, or new
 */
function useFindings(service: ServiceFindings, content: string, version: number | null): readonly AgentFinding[] {
  const page = useDocumentCheck(content);
  const isCurrent = service.document === content || service.document === version;
  return useMemo(() => (isCurrent ? joinedFindings(service.findings, page) : page), [isCurrent, service, page]);
}

/** The graph of a text that is perhaps half typed: then that of the last text that could be read. */
function useLastGraph(content: string): AgentGraph | null {
  const [last, setLast] = useState<AgentGraph | null>(null);
  const graph = useMemo(() => (parsedObject(content) === null ? null : { parsed: parsedGraph(content) }), [content]);
  if (graph !== null && graph.parsed !== last) setLast(graph.parsed);
  return graph === null ? last : graph.parsed;
}
