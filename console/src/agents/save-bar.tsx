import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiFailure } from '../api/api-failure.ts';
import type { Agent, AgentVersion } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { errorText } from '../ui/error-text.ts';
import { faultFindings, type ServiceFindings, warningFindings } from './check/agent-finding.ts';
import { isDocument, parsedJson } from './document/agent-document.ts';
import { activeVersion } from './stored/active-version.ts';
import { keepCreation } from './stored/creation.ts';
import type { Outcome } from './stored/outcome.ts';
import { createdVersion, storeVersion } from './stored/store-version.ts';

/** Key of the requests that store an agent: until the response the document does not change. */
export const STORING = ['store agent'];

/** The service has a version that the page has not read. */
const CONFLICT = 409;

interface SaveBarProps {
  readonly agent: Agent | null;
  readonly versions: readonly AgentVersion[];
  readonly content: string;
  readonly isChanged: boolean;
  /** Name of the state that is edited. */
  readonly selected: string | null;
  readonly outcome: Outcome | null;
  readonly onFindings: (findings: ServiceFindings) => void;
  readonly onOutcome: (outcome: Outcome) => void;
}

interface Attempt {
  readonly publish: boolean;
  readonly content: string;
}

/** Publishes the document as a new version, or keeps it as a draft. The service checks it: its findings name their fields. */
export function SaveBar(props: SaveBarProps) {
  const { agent, versions, content, isChanged, onFindings } = props;
  const text = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const saved = useMutation({
    mutationKey: STORING,
    mutationFn: async ({ publish, content }: Attempt) => {
      const document = parsedJson(content);
      if (!isDocument(document)) throw new Error(text.agents.noJson);
      return agent === null
        ? createdVersion(document)
        : storeVersion({ agent, versions, document, isChanged, publish });
    },
    onSuccess: async ({ id, version, warnings }, { publish }) => {
      onFindings({ document: version, findings: warningFindings(warnings) });
      props.onOutcome({ kind: publish ? 'published' : 'draft', version });
      if (agent === null) keepCreation({ agentId: id, warnings, selected: props.selected });
      await client.invalidateQueries({ queryKey: ['agents'] });
      if (agent !== null) await client.invalidateQueries({ queryKey: ['agent', agent.id] });
      const search = publish || version === activeVersion(versions) ? {} : { version };
      await navigate({ to: '/agents/$agentId', params: { agentId: id }, search, ignoreBlocker: true });
    },
    onError: (error, { content }) => {
      onFindings({ document: content, findings: faultFindings(error instanceof ApiFailure ? error.details : []) });
    },
  });
  const isStored = agent !== null && !isChanged && agent.version === activeVersion(versions);
  return (
    <div className="row">
      <Button
        tone="main"
        disabled={saved.isPending || isStored}
        onClick={() => saved.mutate({ publish: true, content })}
      >
        {agent === null ? text.agents.createIt : text.agents.publish}
      </Button>
      {agent !== null && (
        <Button disabled={saved.isPending || !isChanged} onClick={() => saved.mutate({ publish: false, content })}>
          {text.agents.saveDraft}
        </Button>
      )}
      <SaveStatus
        error={saved.variables?.content === content ? saved.error : null}
        isChanged={isChanged}
        isNew={agent === null}
        outcome={props.outcome}
      />
    </div>
  );
}

interface SaveStatusProps {
  readonly error: Error | null;
  readonly isChanged: boolean;
  readonly isNew: boolean;
  readonly outcome: Outcome | null;
}

/** Always in its place, so that nothing moves when it changes. */
function SaveStatus({ error, isChanged, isNew, outcome }: SaveStatusProps) {
  const text = useText();
  const texts = text.agents.outcome;
  const refusal = error === null ? undefined : refusalOf(error, text);
  const untouched = isNew ? null : texts.saved;
  const done = outcome === null ? untouched : texts[outcome.kind](outcome.version);
  return (
    <>
      <p role="alert" className="save-refused">
        {refusal}
      </p>
      <p role="status" className={isChanged || outcome === null ? 'quiet' : 'save-done'}>
        {refusal === undefined && (isChanged ? texts.unsaved : done)}
      </p>
    </>
  );
}

/** The findings name the fields of a refused document. */
function refusalOf(error: Error, text: Messages): string {
  const { outcome } = text.agents;
  if (!(error instanceof ApiFailure)) return errorText(error, text);
  if (error.status === CONFLICT) return outcome.conflict;
  return error.details.length > 0 ? outcome.refused : error.message;
}
