import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { localTime } from '../../format/time.ts';
import type { AgentVersion } from '../../generated/client.ts';
import { useLanguage, useText } from '../../i18n/language.tsx';
import { useAllowed } from '../../session/keyring-store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { errorText } from '../../ui/error-text.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { agentDocument, parsedJson } from '../document/agent-document.ts';
import { AS_READ, useAgent, useVersions } from '../stored/agent-query.ts';
import { ChangeList } from './change-list.tsx';
import type { Deployment } from './deployment.tsx';
import { documentChanges } from './document-changes.ts';

interface VersionsPanelProps {
  readonly agentId: string;
  readonly deployment: Deployment;
  /** The version on the page. */
  readonly shown: number;
  /** The document as it is edited on the page. */
  readonly content: string;
  readonly isChanged: boolean;
}

/** The versions of an agent: which one is active, what changed between two, and the way back. */
export function VersionsPanel({ agentId, deployment, shown, content, isChanged }: VersionsPanelProps) {
  const text = useText();
  const query = useVersions(agentId, AS_READ);
  return (
    <section className="card stack" aria-label={text.agents.versions.title}>
      <h2>{text.agents.versions.title}</h2>
      <QueryView query={query}>
        {({ data }) => (
          <>
            <VersionTable
              agentId={agentId}
              deployment={deployment}
              versions={data}
              shown={shown}
              isChanged={isChanged}
            />
            <Comparison agentId={agentId} versions={data} shown={shown} content={content} />
          </>
        )}
      </QueryView>
    </section>
  );
}

interface VersionTableProps {
  readonly agentId: string;
  readonly deployment: Deployment;
  readonly versions: readonly AgentVersion[];
  readonly shown: number;
  readonly isChanged: boolean;
}

function VersionTable({ agentId, deployment, versions, shown, isChanged }: VersionTableProps) {
  const { language, messages: text } = useLanguage();
  const mayWrite = useAllowed('write');
  const { versions: names } = text.agents;
  const hasActions = mayWrite && versions.some(({ active }) => !active);
  return (
    <>
      <div className="version-table">
        <DataTable
          label={names.list}
          columns={[names.column, text.calls.status, text.keys.created, ...(hasActions ? [text.common.actions] : [])]}
          empty=""
        >
          {versions.map(({ version, active, published, created_at }) => (
            <tr key={version}>
              <td>
                <Link to="/agents/$agentId" params={{ agentId }} search={active ? {} : { version }}>
                  {names.name(version)}
                </Link>
                {version === shown && (
                  <>
                    {' '}
                    <Badge tone="info">{names.shown}</Badge>
                  </>
                )}
              </td>
              <td>
                <Badge tone={active ? 'good' : published ? 'plain' : 'info'}>
                  {active ? names.active : published ? names.published : names.draft}
                </Badge>
              </td>
              <td>{localTime(created_at, language)}</td>
              {hasActions && (
                <td>
                  {!active && (
                    <Confirm
                      label={published ? names.rollBackTo(version) : names.publishDraft(version)}
                      question={`${names.question(version)}${isChanged ? ` ${names.lost}` : ''}`}
                      isDisabled={deployment.isPending}
                      onConfirm={() => deployment.mutate(version)}
                    />
                  )}
                </td>
              )}
            </tr>
          ))}
        </DataTable>
      </div>
      <ErrorNotice error={deployment.error} />
    </>
  );
}

interface ComparisonProps {
  readonly agentId: string;
  readonly versions: readonly AgentVersion[];
  readonly shown: number;
  readonly content: string;
}

/** A chosen version; null: the document as it is edited. */
type Side = number | null;

function Comparison({ agentId, versions, shown, content }: ComparisonProps) {
  const text = useText();
  const former = versions.find(({ version }) => version < shown)?.version ?? shown;
  const [before, setBefore] = useState<Side>(former);
  const [after, setAfter] = useState<Side>(null);
  const beforeDocument = useDocument(agentId, before, content);
  const afterDocument = useDocument(agentId, after, content);
  return (
    <div className="stack">
      <h3>{text.agents.versions.changes}</h3>
      <div className="filters">
        <SideChoice label={text.agents.versions.before} versions={versions} chosen={before} onChoose={setBefore} />
        <SideChoice label={text.agents.versions.after} versions={versions} chosen={after} onChoose={setAfter} />
      </div>
      <Changes before={beforeDocument} after={afterDocument} />
    </div>
  );
}

interface ChangesProps {
  readonly before: ComparedDocument;
  readonly after: ComparedDocument;
}

function Changes({ before, after }: ChangesProps) {
  const text = useText();
  const fault = before.fault ?? after.fault;
  if (fault !== null) return <p className="quiet">{fault}</p>;
  if (before.document === null || after.document === null) return <p className="quiet">{text.common.loading}</p>;
  return <ChangeList changes={documentChanges(before.document, after.document)} />;
}

interface ComparedDocument {
  /** null: it is being read, or there is a fault. */
  readonly document: unknown;
  readonly fault: string | null;
}

function useDocument(agentId: string, version: Side, content: string): ComparedDocument {
  const text = useText();
  const { data, error } = useAgent(agentId, version, AS_READ);
  if (version === null) {
    const document = parsedJson(content);
    return { document, fault: document === null ? text.agents.edit.noForm : null };
  }
  if (error !== null) return { document: null, fault: errorText(error, text) };
  return { document: data === undefined ? null : parsedJson(agentDocument(data.data)), fault: null };
}

interface SideChoiceProps {
  readonly label: string;
  readonly versions: readonly AgentVersion[];
  readonly chosen: Side;
  readonly onChoose: (side: Side) => void;
}

function SideChoice({ label, versions, chosen, onChoose }: SideChoiceProps) {
  const text = useText();
  const field = useId();
  return (
    <label htmlFor={field}>
      {label}
      <select
        id={field}
        aria-label={label}
        value={chosen ?? ''}
        onChange={({ target }) => onChoose(target.value === '' ? null : Number(target.value))}
      >
        <option value="">{text.agents.versions.edited}</option>
        {versions.map(({ version }) => (
          <option key={version} value={version}>
            {text.agents.versions.name(version)}
          </option>
        ))}
      </select>
    </label>
  );
}
